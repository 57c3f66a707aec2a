package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/schema"
)

// QuestionType is the value of the key "type" in an interrupt for a server's question to a person. The interrupt also has the
// keys server, tool, message and requested_schema; the last holds the form, a flat object. The answer is an object that fits
// the form, or {"action": "accept", "content": {…}}, {"action": "decline"} or {"action": "cancel"}. "decline" and "cancel"
// work too, as does the bare value if the form has one field.
const QuestionType = "mcp_elicitation"

// question is a question from a server.
type question struct {
	key    string // unique in the call: a number and a digest, so that no other question gets its answer
	value  wire.Map
	form   *schema.Schema // nil: there is nothing to fill in
	fields []string       // names of the form's fields
}

// question reads the n-th question of the call.
func (c *call) question(p *sdk.ElicitParams, n int) (*question, error) {
	switch {
	case p == nil:
		return nil, errors.New("the question is empty")
	case p.Mode != "" && p.Mode != "form" || p.URL != "":
		return nil, errors.New("only forms are supported, not addresses to visit")
	}
	form := any(map[string]any{"type": "object"})
	if p.RequestedSchema != nil {
		form = p.RequestedSchema
	}
	raw, err := parametersOf(form)
	if err != nil {
		return nil, err
	}
	if len(raw)+len(p.Message) > maxQuestion {
		return nil, fmt.Errorf("the question has more than %d bytes", maxQuestion)
	}
	q := &question{value: wire.Map{}}
	if q.form, err = schema.CompileUntrusted(raw); err != nil {
		return nil, err
	}
	var parts wire.Map
	if _, err := parts.UnmarshalMsg(raw); err != nil {
		return nil, err
	}
	for name := range parts.Get("properties").Pairs() {
		q.fields = append(q.fields, string(name))
	}
	q.value.Set("type", wire.String(QuestionType))
	q.value.Set("server", wire.String(c.tool.server.config.Name))
	q.value.Set("tool", wire.String(c.tool.spec.Name))
	q.value.Set("message", wire.String(p.Message))
	q.value.Set("requested_schema", raw)
	sum := sha256.Sum256(append(wire.AppendString(nil, p.Message), raw...))
	q.key = "elicitation-" + strconv.Itoa(n) + "-" + hex.EncodeToString(sum[:8])
	return q, nil
}

// answer returns the answer to the question. It returns nil if there is none or it does not fit; the question is then asked
// again.
func (c *call) answer(q *question) *sdk.ElicitResult {
	given := c.answers.Get(q.key)
	if given.IsZero() {
		return nil
	}
	result, err := q.read(given)
	if err != nil {
		q.value.Set("problem", wire.String("the answer does not fit: "+err.Error()))
		return nil
	}
	return result
}

// read reads an answer.
func (q *question) read(given wire.Raw) (*sdk.ElicitResult, error) {
	content := given
	var fields wire.Map
	if given.IsMap() {
		if _, err := fields.UnmarshalMsg(given); err != nil {
			return nil, err
		}
	}
	word, isWord := given.AsString()
	action, explicit := fields.Get("action").AsString()
	explicit = explicit && (!slices.Contains(q.fields, "action") || onlyKeys(fields, "action", "content"))
	yes, isBool := given.AsBool()
	switch {
	case isWord && (word == "decline" || word == "cancel"):
		return &sdk.ElicitResult{Action: word}, nil
	case isBool && !yes && len(q.fields) == 0:
		return &sdk.ElicitResult{Action: "decline"}, nil
	case explicit && (action == "decline" || action == "cancel"):
		return &sdk.ElicitResult{Action: action}, nil
	case explicit && action != "accept":
		return nil, fmt.Errorf(`the action %q is unknown; use accept, decline or cancel`, action)
	case explicit:
		content = fields.Get("content")
		if content.IsNil() {
			content = wire.Map{}.Raw()
		}
	case given.IsMap():
	case len(q.fields) == 1:
		content = wire.Map{{Key: q.fields[0], Value: given}}.Raw()
	case len(q.fields) == 0 && (isBool || word == "accept"):
		content = wire.Map{}.Raw()
	default:
		return nil, fmt.Errorf("the answer must be an object with %q, or decline or cancel", q.fields)
	}
	if err := q.form.Validate(content); err != nil {
		return nil, err
	}
	result := &sdk.ElicitResult{Action: "accept"}
	err := json.Unmarshal([]byte(content.JSON()), &result.Content)
	return result, err
}

func onlyKeys(m wire.Map, keys ...string) bool {
	return !slices.ContainsFunc(m, func(p wire.Pair) bool { return !slices.Contains(keys, p.Key) })
}

// interrupt interrupts the run to ask questions.
func interrupt(questions ...*question) *host.InterruptError {
	out := &host.InterruptError{}
	for _, q := range questions {
		out.Interrupts = append(out.Interrupts, abi.Interrupt{Key: q.key, Value: q.value.Raw()})
	}
	return out
}

// respond returns the answers to the questions in a result if it has all of them. Otherwise its error interrupts the run to
// ask.
func (c *call) respond(requests sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	name := c.tool.server.config.Name
	switch {
	case len(requests) == 0:
		return nil, fmt.Errorf("the MCP server %q is busy; the call has not run, and can be made again later", name)
	case len(requests) > host.MaxInterrupts:
		return nil, fmt.Errorf("the MCP server %q asks %d questions at once", name, len(requests))
	}
	responses := sdk.InputResponseMap{}
	var open []*question
	ids := slices.Sorted(maps.Keys(requests))
	for _, id := range ids {
		response, q, err := c.respondTo(requests[id])
		switch {
		case err != nil:
			return nil, err
		case q != nil:
			open = append(open, q)
		case response != nil:
			responses[id] = response
		}
	}
	if len(open) > 0 {
		return nil, interrupt(open...)
	}
	for _, id := range ids {
		asked, ok := requests[id].(*sdk.CreateMessageWithToolsParams)
		if !ok {
			continue
		}
		result, q, err := c.sample(asked)
		switch {
		case host.IsControlFlow(err):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("the MCP server %q may not ask a model: %s; the call has ended", name, c.tool.server.secrets.line(err.Error()))
		case q != nil:
			open = append(open, q)
		default:
			responses[id] = result
		}
	}
	if len(open) > 0 {
		return nil, interrupt(open...)
	}
	return responses, nil
}

// respondTo answers one question. It returns the question if it is open. A request to a model gets its answer last, because what it costs
// would be lost if another question interrupts the run.
func (c *call) respondTo(request sdk.InputRequest) (sdk.InputResponse, *question, error) {
	server := c.tool.server
	switch params := request.(type) {
	case *sdk.ListRootsParams:
		if len(server.roots) > 0 {
			return &sdk.ListRootsResult{Roots: server.roots}, nil, nil
		}
	case *sdk.CreateMessageWithToolsParams:
		if server.config.Sampling != nil {
			return nil, nil, nil
		}
	case *sdk.ElicitParams:
		if !server.config.Elicitation {
			break
		}
		q, err := c.question(params, c.next())
		if err != nil {
			return nil, nil, fmt.Errorf("the MCP server %q asks an invalid question: %s", server.config.Name, server.secrets.line(err.Error()))
		}
		if result := c.answer(q); result != nil {
			return result, nil, nil
		}
		return nil, q, nil
	}
	return nil, nil, fmt.Errorf("the MCP server %q made a request during the call that this agent does not allow; the call has ended", server.config.Name)
}

// next counts the questions of the call.
func (c *call) next() int {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.number++
	return c.number
}

// elicit handles a question that a server sends as a request during a call. Without an answer the call ends, and the run asks.
func (ss *session) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	c, done := ss.asked()
	defer done()
	if c == nil {
		return nil, errors.New("the question does not belong to a running call")
	}
	q, err := c.question(req.Params, c.next())
	if err != nil {
		return nil, err
	}
	if result := c.answer(q); result != nil {
		return result, nil
	}
	select {
	case c.asked <- interrupt(q):
	default: // it is already asking something else
	}
	return nil, ss.linger(ctx)
}

// linger returns when the server has heard that the call has ended, and has withdrawn its request. An earlier reply might make it
// continue.
func (ss *session) linger(ctx context.Context) error {
	inside, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case <-inside.Done():
	case <-ss.over:
	}
	return cmp.Or(ctx.Err(), errOver)
}
