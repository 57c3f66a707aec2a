package sdk

// Tool is a tool that the plugin adds to the agent.
type Tool struct {
	ToolSpec
	Run func(c *ToolCall) (*Patch, *Update, error)
}

// NewTool makes a tool whose arguments are a struct with a generated codec, see sdk/go/gen. The model sees the schema of
// the struct, and the host checks the arguments against it before the call. The result of run is the answer. You may set
// the fields Idempotent, ReturnDirect, Dynamic and Extras of the tool afterwards.
func NewTool[A any, P interface {
	*A
	Document
}](name, description string, run func(c *ToolCall, args *A) (string, error)) Tool {
	var schema P = new(A)
	return Tool{
		ToolSpec: ToolSpec{Name: name, Description: description, Parameters: schema.JSONSchema()},
		Run: func(c *ToolCall) (*Patch, *Update, error) {
			args := new(A)
			if _, err := P(args).UnmarshalMsg(c.Input().Call.Args); err != nil {
				return nil, nil, err
			}
			text, err := run(c, args)
			if err != nil {
				return nil, nil, err
			}
			return Answer(text), nil, nil
		},
	}
}

// NewRawTool makes a tool whose arguments are known only at run time, such as those of another server's tool: parameters is their JSON
// Schema, and run gets them as a map.
func NewRawTool(name, description string, parameters Raw, run func(c *ToolCall, args Map) (string, error)) Tool {
	return Tool{
		ToolSpec: ToolSpec{Name: name, Description: description, Parameters: parameters},
		Run: func(c *ToolCall) (*Patch, *Update, error) {
			text, err := run(c, c.Args())
			if err != nil {
				return nil, nil, err
			}
			return Answer(text), nil, nil
		},
	}
}

// Tools are the tools of a plugin. A plugin that embeds Tools is a [ToolRunner]:
//
//	type notes struct{ sdk.Tools }
//
//	func init() {
//		tools := sdk.Tools{sdk.NewTool("note", "Writes a note.", writeNote)}
//		sdk.Register(notes{tools}, sdk.Description{Name: "notes", Version: "1.0.0", Tools: tools.Specs()})
//	}
type Tools []Tool

// Specs declares the tools.
func (t Tools) Specs() []ToolSpec {
	specs := make([]ToolSpec, len(t))
	for i := range t {
		specs[i] = t[i].ToolSpec
	}
	return specs
}

// CallTool runs the tool of the call.
func (t Tools) CallTool(c *ToolCall) (*Patch, *Update, error) {
	name := c.ToolCall().Name
	for i := range t {
		if t[i].Name == name {
			return t[i].Run(c)
		}
	}
	return nil, nil, &Error{Type: "unknown_tool", Message: "the plugin has no tool " + name}
}
