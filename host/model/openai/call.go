package openai

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// call is a tool call in the history or in an answer.
type call struct {
	id, name  string
	arguments string                     // as the model wrote them
	further   map[string]json.RawMessage // extra fields that must be sent back with it
}

// callsOf returns the calls of a message that are sent. These include malformed ones with an answer, which would otherwise
// answer nothing. following holds the messages after it; ids are unique in one message.
func callsOf(m *abi.Message, following []abi.Message) []call {
	calls := make([]call, 0, len(m.ToolCalls)+len(m.InvalidToolCalls))
	for _, c := range m.ToolCalls {
		calls = append(calls, call{id: c.ID, name: c.Name, arguments: arguments(c.Args)})
	}
	answered := map[string]bool{}
	for i := range following {
		if following[i].Role == abi.RoleAI {
			break
		}
		if following[i].Role == abi.RoleTool {
			answered[following[i].ToolCallID] = true
		}
	}
	for _, c := range m.InvalidToolCalls {
		if !answered[c.ID] {
			continue
		}
		args := c.Args
		if !json.Valid([]byte(args)) || !strings.HasPrefix(strings.TrimSpace(args), "{") {
			args = "{}"
		}
		calls = append(calls, call{id: c.ID, name: c.Name, arguments: args})
	}
	return calls
}

// arguments returns the arguments of a call as JSON, which must be an object.
func arguments(of wire.Raw) string {
	if text := of.JSON(); of.IsMap() && text != "null" {
		return text
	}
	return "{}"
}

// openCalls is the set of ids of unanswered calls. The APIs refuse an answer to any other call; its content is sent as a user
// message.
type openCalls map[string]bool

func openCallsOf(calls []call) openCalls {
	w := make(openCalls, len(calls))
	for _, c := range calls {
		w[c.id] = true
	}
	return w
}

// take reports whether a message answers a waiting call, and removes the call.
func (w openCalls) take(m *abi.Message) bool {
	waits := w[m.ToolCallID]
	delete(w, m.ToolCallID)
	return waits
}

// maxID is the maximum length of the id of a call in Chat Completions, in bytes, according to OpenAI's error messages; ids of
// other providers may be longer.
const maxID = 40

// idOf returns the id of a call for a request. Only OpenAI and Mistral limit ids; other servers may need theirs as they came.
func (m *Model) idOf(id string) string {
	switch {
	case m.preset().ShortCallIDs && !shortID().MatchString(id):
		sum := sha256.Sum256([]byte(id))
		return hex.EncodeToString(sum[:])[:9]
	case m.official() && len(id) > maxID:
		sum := sha256.Sum256([]byte(id))
		return "call_" + hex.EncodeToString(sum[:16])
	default:
		return id
	}
}

// shortID is the form of ids that Mistral takes, according to its error messages.
var shortID = lazyregexp.New(`^[A-Za-z0-9]{9}$`)

// returned introduces the result of a tool whose call is not in the history.
func returned(m *abi.Message) string { return "The tool " + m.Name + " returned: " }

// callPiece is a call in an answer of Chat Completions, or a piece of one.
type callPiece struct {
	Index    *int64      `json:"index"` // nil: the server sends none, and each call whole (Gemini)
	ID       provider.ID `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments argsPiece `json:"arguments"`
	} `json:"function"`
	Custom struct { // has a text instead of arguments
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`

	further map[string]json.RawMessage
}

// argsPiece is a call's arguments, or a piece of them. Some servers send the object itself instead of its text.
type argsPiece string

// UnmarshalJSON reads a string, or keeps any other value as text.
func (a *argsPiece) UnmarshalJSON(text []byte) error {
	var said *string
	switch {
	case json.Unmarshal(text, &said) != nil:
		*a = argsPiece(text)
	case said != nil:
		*a = argsPiece(*said)
	}
	return nil
}

func readCall(text json.RawMessage) (*callPiece, error) {
	var p callPiece
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &p.further); err != nil {
		return nil, err
	}
	for key, value := range p.further {
		if slices.Contains([]string{"index", "id", "type", "function", "custom"}, key) || !isSet(value) {
			delete(p.further, key)
		}
	}
	return &p, nil
}

func (p *callPiece) name() string      { return p.Function.Name + p.Custom.Name }
func (p *callPiece) arguments() string { return string(p.Function.Arguments) + p.Custom.Input }

// partialCall is a call that arrives in pieces.
type partialCall struct {
	id         string
	index      int64
	place      int // among the calls, as they began
	name, args []byte
	further    map[string]json.RawMessage
}

// calls holds the calls of an answer so far.
type calls struct {
	all  []*partialCall
	last map[int64]*partialCall // by index: some servers give all calls the index 0
}

// add adds a call, or a piece of one, and returns what is new.
func (c *calls) add(p *callPiece, streamed bool) (piece model.CallPiece, err error) {
	g := c.current(p)
	if g == nil || !streamed || g.ends(p) {
		if len(c.all) == maxList {
			return piece, fmt.Errorf("the message has more than %d tool calls", maxList)
		}
		g = &partialCall{index: int64(len(c.all)), place: len(c.all)}
		if p.Index != nil && streamed {
			g.index = *p.Index
		}
		if c.last == nil {
			c.last = map[int64]*partialCall{}
		}
		c.all, c.last[g.index] = append(c.all, g), g
	}
	piece = model.CallPiece{Index: g.place, Args: p.arguments()}
	if id := string(p.ID); id != "" && id != g.id {
		g.id, piece.ID = id, id
	}
	if name := p.name(); string(g.name) != name { // some repeat it
		g.name, piece.Name = append(g.name, name...), name
	}
	g.args = append(g.args, piece.Args...)
	if g.further == nil {
		g.further = p.further
	}
	maps.Copy(g.further, p.further)
	return piece, nil
}

// current returns the call to which a piece may belong; nil if there is none.
func (c *calls) current(p *callPiece) *partialCall {
	switch {
	case p.Index != nil:
		return c.last[*p.Index]
	case len(c.all) > 0:
		return c.all[len(c.all)-1]
	default:
		return nil
	}
}

// ends reports whether a piece begins another call.
func (g *partialCall) ends(p *callPiece) bool {
	switch name := p.name(); {
	case p.ID != "" && g.id != "":
		return string(p.ID) != g.id
	case name == "":
		return false
	case p.Index == nil:
		return len(g.name) > 0
	case len(g.args) == 0:
		return false
	default: // the next call has the same index and no id: within arguments no "{" follows a "}"
		return name != string(g.name) || bytes.HasSuffix(g.args, []byte("}")) && strings.HasPrefix(p.arguments(), "{")
	}
}

// whole returns the calls in the order of their indexes.
func (c *calls) whole() []call {
	slices.SortStableFunc(c.all, func(a, b *partialCall) int { return cmp.Compare(a.index, b.index) })
	out := make([]call, len(c.all))
	for i, g := range c.all {
		out[i] = call{g.id, string(g.name), string(g.args), g.further}
	}
	return out
}
