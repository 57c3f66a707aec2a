package prompt_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

// person types lines at a prompt.
type person struct {
	out   bytes.Buffer
	edits []string // what the editor is left with, one after the other
	given []string // what it was opened with
	p     *prompt.Prompt
}

// typing returns a person who types these lines and then ends the input.
func typing(lines ...string) *person {
	someone := &person{}
	text := strings.Join(lines, "\n")
	if text != "" {
		text += "\n"
	}
	someone.p = &prompt.Prompt{In: prompt.NewLines(strings.NewReader(text)), Out: &someone.out, Edit: someone.edit}
	return someone
}

func (s *person) edit(_ context.Context, text []byte) ([]byte, error) {
	s.given = append(s.given, string(text))
	if len(s.edits) == 0 {
		return nil, errors.New("the editor failed\x1b[2J")
	}
	edited := s.edits[0]
	s.edits = s.edits[1:]
	return []byte(edited), nil
}

// answer answers interrupts with these values, and returns the answers by id.
func (s *person) answer(t *testing.T, values ...string) (map[string]string, error) {
	t.Helper()
	result := &host.Result{Messages: history.Of(abi.Human("hi"), abi.AI("",
		abi.Call("call-1", "write", map[string]any{"path": "a.txt", "text": "one\ntwo"}), abi.Call("call-2", "mail", map[string]any{"to": "ada"})))}
	for i, json := range values {
		v, err := wire.FromJSON([]byte(json), wire.Limits{})
		require.NoError(t, err)
		result.Interrupts = append(result.Interrupts, host.Interrupt{ID: "ask-" + string(rune('1'+i)), Step: "hitl.after_model", Key: "ok?", Value: v})
	}
	questions := question.OfResult(result)
	sheet := question.NewSheet(questions)
	if err := s.p.Answer(t.Context(), questions, sheet); err != nil {
		return nil, err
	}
	answers, err := sheet.Answers("ada")
	require.NoError(t, err)
	out := map[string]string{}
	for _, a := range answers {
		raw, _ := a.Value.(wire.Raw)
		out[a.Interrupt] = raw.JSON()
	}
	return out, nil
}

const (
	review = `{"action_requests":[
		{"name":"write","args":{"path":"a.txt","text":"one\ntwo"},"description":"Tool execution requires approval"},
		{"name":"mail","args":{"to":"ada"}}],
	"review_configs":[
		{"action_name":"write","allowed_decisions":["approve","edit","reject"],"args_schema":{"type":"object","required":["path"]}},
		{"action_name":"mail","allowed_decisions":["approve","respond"]}]}`
	write      = `{"action_requests":[{"name":"write","args":{"path":"a.txt","text":"one\ntwo"}}],"review_configs":[{"action_name":"write","allowed_decisions":["approve","edit","reject"],"args_schema":{"type":"object","required":["path"]}}]}`
	unfinished = `{"type":"unfinished_tool_call","tool_call_id":"call-4","name":"pay","args":{"sum":3},"started":1700000000000,"description":"The process died."}`
)
