package workshop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// most are the limits of a document that a person has edited. The plugin has its own, narrower ones.
var most = wire.Limits{MaxBytes: 64 << 20, MaxDepth: 256, MaxNodes: 1 << 20}

// text returns a document as indented JSON; "" for none. Bytes are in base64.
func text(document []byte) (string, error) {
	if len(document) == 0 {
		return "", nil
	}
	line, err := wire.AppendJSON(nil, document)
	if err != nil {
		return "", err
	}
	return indented(line)
}

func indented(line []byte) (string, error) {
	var out bytes.Buffer
	err := json.Indent(&out, line, "", "  ")
	return out.String(), err
}

// edited returns the document that a person has made of one. Parts that they left alone stay byte for byte: JSON has no bytes, and one kind of numbers.
func edited(document []byte, text string) ([]byte, error) {
	if strings.TrimSpace(text) == "" {
		return document, nil
	}
	made, err := wire.FromJSON([]byte(text), most)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	return merged(document, made), nil
}

// merged returns is with the parts of was that look the same in JSON.
func merged(was, is wire.Raw) wire.Raw {
	switch {
	case was.IsZero():
		return is
	case looksLike(was, is):
		return was
	case was.IsMap() && is.IsMap():
		var out wire.Map
		for key, value := range is.Pairs() {
			out.Set(string(key), merged(was.Get(string(key)), value))
		}
		return out.Raw()
	case was.IsArray() && is.IsArray() && was.Len() == is.Len():
		olds, _ := was.Items()
		out := wire.AppendArrayHeader(nil, is.Len())
		for i, item := range slices.Collect(is.Elements()) {
			out = append(out, merged(olds[i], item)...)
		}
		return out
	default:
		return is
	}
}

// looksLike reports whether a value has this form in JSON.
func looksLike(value, form wire.Raw) bool {
	line, err := wire.AppendJSON(nil, value)
	if err != nil {
		return false
	}
	read, err := wire.FromJSON(line, most)
	return err == nil && read.Equal(form)
}

// answer is what the host answered, as a person edits it.
type answer struct {
	Op     string          `json:"op"` // next, or an operation
	Status string          `json:"status,omitempty"`
	Reply  json.RawMessage `json:"reply,omitempty"`
}

// answersText returns the answers of the host as a list in JSON.
func answersText(exchanges []cassette.Exchange) (string, error) {
	list := make([]answer, len(exchanges))
	for i := range exchanges {
		x := &exchanges[i]
		list[i].Op = x.Name()
		if !x.Answered {
			continue
		}
		list[i].Status = x.Status.String()
		if len(x.Reply) > 0 {
			reply, err := wire.AppendJSON(nil, x.Reply)
			if err != nil {
				return "", err
			}
			list[i].Reply = reply
		}
	}
	line, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	return indented(line)
}

// editedAnswers returns the exchanges with the answers that a person has made of them.
func editedAnswers(exchanges []cassette.Exchange, text string) ([]cassette.Exchange, error) {
	if was, err := answersText(exchanges); err == nil && strings.TrimSpace(was) == strings.TrimSpace(text) || strings.TrimSpace(text) == "" {
		return exchanges, nil
	}
	var list []answer
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf(`answers: %w; write a list such as [{"op": "kv.get", "status": "ok", "reply": {}}]`, err)
	}
	if len(list) > cassette.MaxExchanges {
		return nil, fmt.Errorf("answers: there are %d; %d are allowed", len(list), cassette.MaxExchanges)
	}
	out := make([]cassette.Exchange, len(list))
	for i, a := range list {
		x, err := a.exchange()
		if err != nil {
			return nil, fmt.Errorf("answers: number %d: %w", i+1, err)
		}
		if i < len(exchanges) && exchanges[i].Op == x.Op {
			x.Payload, x.Reply = exchanges[i].Payload, merged(exchanges[i].Reply, x.Reply)
		}
		out[i] = x
	}
	return out, nil
}

func (a *answer) exchange() (x cassette.Exchange, err error) {
	if a.Op == "" {
		return x, fmt.Errorf("op is missing; it is %q or the name of an operation", abi.ImportNext)
	}
	if a.Op != abi.ImportNext {
		x.Op = a.Op
	}
	if a.Status == "" {
		return x, nil // it is not answered: a fault came first
	}
	at := slices.IndexFunc(statuses, func(s abi.Status) bool { return s.String() == a.Status })
	if at < 0 {
		return x, fmt.Errorf("%.64q is not a status; write one of %s", a.Status, strings.Join(names(statuses), ", "))
	}
	x.Answered, x.Status = true, statuses[at]
	if len(a.Reply) > 0 {
		x.Reply, err = wire.FromJSON(a.Reply, most)
	}
	return x, err
}

// statuses are those that a host answers with.
var statuses = []abi.Status{
	abi.StatusOK, abi.StatusFailed, abi.StatusInterrupted, abi.StatusCancelled, abi.EINVAL, abi.ENOENT, abi.ETOOBIG, abi.EDENIED, abi.ENOTSUP, abi.EBUSY,
	abi.ELIMIT, abi.ECONFLICT,
}

func names(all []abi.Status) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.String()
	}
	return out
}
