package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Answer is a person's answer to a question of the agent. It names the question by the tool, the id of the call, or the key of the
// interrupt. Exactly one of the first six keys is given.
type Answer struct {
	Approve string `yaml:"approve"` // the call of this tool runs unchanged
	Edit    string `yaml:"edit"`    // the call of this tool runs with the arguments in args
	Reject  string `yaml:"reject"`  // the call of this tool does not run; message tells the model why
	Respond string `yaml:"respond"` // the call of this tool does not run; message is its result
	// the question with this key gets the answer in value, in the asker's own format
	Answer   string `yaml:"answer"`
	Continue string `yaml:"continue"` // the run goes on after the breakpoint before this step

	Args    map[string]any `yaml:"args"`    // the arguments for edit
	Message *string        `yaml:"message"` // the text for reject and respond
	Value   any            `yaml:"value"`   // the value for answer
}

// verb is a way to answer, with the name of what is asked about and the keys that go with it.
type verb struct {
	key, subject string
	with         []string
}

func (a *Answer) verbs() []verb {
	return []verb{
		{"approve", a.Approve, nil},
		{"edit", a.Edit, []string{"args"}},
		{"reject", a.Reject, []string{"message"}},
		{"respond", a.Respond, []string{"message"}},
		{"answer", a.Answer, []string{"value"}},
		{"continue", a.Continue, nil},
	}
}

// given returns the way of the answer.
func (a *Answer) given() verb {
	for _, v := range a.verbs() {
		if v.subject != "" {
			return v
		}
	}
	return verb{}
}

// CheckStrict demands exactly one way to answer, and the keys that go with it.
func (a *Answer) CheckStrict(n strictyaml.Node) error {
	keys := make([]string, 0, len(a.verbs()))
	var given []string
	for _, v := range a.verbs() {
		keys = append(keys, v.key)
		if v.subject != "" {
			given = append(given, v.key)
		}
	}
	if len(given) != 1 {
		return n.Errorf("an answer needs exactly one of the keys %s, such as {approve: write_file}; this one has %d", strings.Join(keys, ", "), len(given))
	}
	with := a.given().with
	for _, key := range []string{"args", "message", "value"} {
		_, has := n.Get(key)
		switch needs := slices.Contains(with, key); {
		case has && !needs:
			at, _ := n.Key(key)
			return at.Errorf("the key %q does not go with %s; remove it", key, given[0])
		case needs && !has && given[0] != "reject":
			return n.Errorf("%s needs the key %q", given[0], key)
		}
	}
	return nil
}

// String returns the answer as it is in a file, such as "approve: write_file".
func (a *Answer) String() string {
	v := a.given()
	return v.key + ": " + v.subject
}

// Goes reports whether the answer goes on after a breakpoint before this step.
func (a *Answer) Goes(next string) bool { return a.Continue != "" && a.Continue == next }

// Fill enters the answer into a sheet if it is one to an open question, and reports whether it is. decided has the names of the calls and
// questions that are decided already.
func (a *Answer) Fill(sheet *question.Sheet, questions []*question.Question, decided map[string]bool) (bool, error) {
	for _, q := range questions {
		if a.answers(q) && !decided[q.ID] {
			decided[q.ID] = true
			value, err := a.value()
			if err == nil {
				err = sheet.Give(q.ID, value)
			}
			return true, err
		}
		for _, call := range q.Calls {
			if a.decides(call) && !decided[call.Ref] {
				decided[call.Ref] = true
				d, err := a.decision()
				if err == nil {
					err = sheet.Decide(call.Ref, d)
				}
				return true, err
			}
		}
	}
	return false, nil
}

// answers reports whether this is an answer to a question as a whole.
func (a *Answer) answers(q *question.Question) bool {
	v := a.given()
	whole := v.key == "answer" || v.key == "respond" && q.Kind == question.Other
	return whole && (v.subject == q.Key || v.subject == q.ID)
}

// decides reports whether this is a decision about a call.
func (a *Answer) decides(call *question.Call) bool {
	v := a.given()
	return v.key != "answer" && v.key != "continue" && (v.subject == call.Name || v.subject == call.ID || v.subject == call.Ref)
}

// value returns the answer to a question as a whole.
func (a *Answer) value() (wire.Raw, error) {
	if a.Respond != "" {
		return question.ParseValue(*a.Message), nil
	}
	return wire.Of(a.Value)
}

// decision returns the decision about a call.
func (a *Answer) decision() (question.Decision, error) {
	d := question.Decision{Type: question.Type(a.given().key), Message: a.Message}
	if a.Edit == "" {
		return d, nil
	}
	args, err := wire.MapOf(a.Args)
	if err != nil {
		return d, fmt.Errorf("args%w", err)
	}
	d.Args = args.Raw()
	return d, nil
}
