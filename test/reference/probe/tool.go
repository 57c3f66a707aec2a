package probe

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Tool is a tool whose behaviour a file describes.
type Tool struct {
	Spec     abi.ToolSpec
	log      string
	behavior *behavior
}

// ToolRun is one execution of a tool, as presented by its host.
type ToolRun interface {
	// Execution counts the executions of this tool, from 1.
	Execution() uint64
	ToolCall() *abi.ToolCall
	// State returns a state field, or a nil Raw if the field is unset.
	State(field string) wire.Raw
	// Log adds a line to the log.
	Log(line string)
	// Interrupt asks the outside world a question. The tool must return the error.
	Interrupt(key string, value wire.Raw) (wire.Raw, error)
	// Sleep waits this many milliseconds.
	Sleep(milliseconds int) error
}

// behavior is what a tool does. Its kind determines which fields are used.
type behavior struct {
	kind    string
	sleep   int      // milliseconds
	text    string   // template, command; interrupt: the question
	name    string   // upper: the argument; read_state: the field
	value   wire.Raw // json; command: the update
	failure *abi.Error
	times   int       // raise: how often; 0: always
	then    *behavior // raise: the behavior after that
}

// Tools reads the objects of tools.
func Tools(objects []*strict.Object) []*Tool {
	tools := make([]*Tool, 0, len(objects))
	for _, o := range objects {
		o.Need("name", "behavior")
		t := &Tool{
			Spec: abi.ToolSpec{
				Name: o.Text("name"), Description: o.Text("description"), ReturnDirect: o.Bool("return_direct"), Extras: o.Map("extras"),
			},
			log: o.Text("log"),
		}
		if o.Has("parameters") {
			t.Spec.Parameters = o.Map("parameters").Raw()
		}
		t.behavior = parseBehavior(o.Object("behavior"))
		_ = o.Done()
		tools = append(tools, t)
	}
	return tools
}

// Sleeps reports whether the tool sleeps.
func (t *Tool) Sleeps() bool { return t.behavior.sleep > 0 }

// Blocks returns what a tool answers whose value is a list of content blocks; false if it answers with a text.
func (t *Tool) Blocks() (abi.Content, bool) {
	var blocks []abi.Block
	for item := range t.behavior.value.Elements() {
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(item); err != nil {
			return abi.Content{}, false
		}
		block := abi.BlockOf(fields)
		if block.Type() != abi.BlockText && !block.IsMedia() {
			return abi.Content{}, false
		}
		blocks = append(blocks, block)
	}
	return abi.Blocks(blocks...), t.behavior.kind == "json" && len(blocks) > 0
}

func parseBehavior(o *strict.Object) *behavior {
	b := &behavior{}
	if o == nil {
		return b
	}
	o.Need("kind")
	b.kind = o.OneOf("kind", "template", "upper", "json", "raise", "read_state", "command", "interrupt")
	b.sleep = o.Int("sleep_ms", 0)
	switch b.kind {
	case "template":
		o.Need("text")
		b.text = o.Text("text")
	case "upper":
		o.Need("arg")
		b.name = o.Text("arg")
	case "json":
		o.Need("value")
		b.value = o.Raw("value")
	case "raise":
		o.Need("error")
		b.failure = errorAt(o, "error")
		b.times = o.Int("times", 1)
		if o.Has("then") || o.Has("times") {
			o.Need("then", "times")
			b.then = parseBehavior(o.Object("then"))
		}
	case "read_state":
		o.Need("field")
		b.name = o.Text("field")
	case "command":
		o.Need("update", "text")
		b.text, b.value = o.Text("text"), o.Raw("update")
		if _, err := ReadUpdate(b.value, o.Path()+".update"); err != nil {
			o.Fail("update", err.Error())
		}
	case "interrupt":
		o.Need("ask")
		b.text = o.Text("ask")
	}
	_ = o.Done()
	return b
}

// Run executes the tool.
func (t *Tool) Run(r ToolRun) (text string, update *abi.Update, err error) {
	if t.log != "" {
		r.Log(t.log)
	}
	return t.behavior.run(r)
}

func (b *behavior) run(r ToolRun) (text string, update *abi.Update, err error) {
	if b.sleep > 0 {
		if err := r.Sleep(b.sleep); err != nil {
			return "", nil, err
		}
	}
	var args wire.Map
	_, _ = args.UnmarshalMsg(r.ToolCall().Args) // the host validated the arguments
	switch b.kind {
	case "upper":
		return strings.ToUpper(argument(args, b.name)), nil, nil
	case "json":
		return Text(b.value), nil, nil
	case "raise":
		if b.then != nil && r.Execution() > uint64(b.times) {
			return b.then.run(r)
		}
		return "", nil, b.failure
	case "read_state":
		if value := r.State(b.name); !value.IsZero() {
			return Text(value), nil, nil
		}
		return "<missing>", nil, nil
	case "command":
		update, err := ReadUpdate(b.value, "update")
		return b.expand(r, args), update, err
	case "interrupt":
		return b.ask(r, args)
	default:
		return b.expand(r, args), nil, nil
	}
}

func (b *behavior) ask(r ToolRun, args wire.Map) (text string, update *abi.Update, err error) {
	question := wire.Map{
		{Key: "ask", Value: wire.String(b.expand(r, args))},
		{Key: "tool_call_id", Value: wire.String(r.ToolCall().ID)},
	}
	answer, err := r.Interrupt("ask", question.Raw())
	if err != nil {
		return "", nil, err
	}
	return "Answer: " + Text(answer), nil, nil
}

func (b *behavior) expand(r ToolRun, args wire.Map) string {
	return expand(b.text, func(name string) (string, bool) {
		if name == "#" {
			return strconv.FormatUint(r.Execution(), 10), true
		}
		return argument(args, name), true
	})
}

// argument shows an argument of a call, or "" if it is missing.
func argument(args wire.Map, name string) string {
	value := args.Get(name)
	if value.IsZero() {
		return ""
	}
	return Text(value)
}
