package cases

import (
	"reflect"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Expectation is what must come of a turn. Only the keys that are given are compared, except status.
type Expectation struct {
	// how the turn must end: completed (the default), interrupted, failed or cancelled
	Status string `yaml:"status" strict:"enum=completed|interrupted|failed|cancelled" schema:"default=completed"`
	// the message of the error with which the run must fail; then status is failed
	Error *TextCheck `yaml:"error"`
	// what the run must wait for in the end, besides what the turn answers; then status is interrupted
	Interrupts []ExpectedInterrupt `yaml:"interrupts" strict:"optional"`
	// the calls of tools that the model must make: all of them in their order, or a mapping
	ToolCalls *ToolCalls `yaml:"tool_calls"`
	// the text of the last answer; if the agent has a response format, its JSON
	Message  *TextCheck        `yaml:"message"`
	Messages []ExpectedMessage `yaml:"messages"` // all messages that the turn adds, after the user's
	// values that fields of the state must have afterwards; null means that the field has no value
	State map[string]any `yaml:"state"`
	// parts of the values that fields of the state must have, besides others
	StateContains map[string]any `yaml:"state_contains"`
	// files in the copy of the manifest's directory, by their paths: what they must hold, or null for a file that must not be there
	Files  map[string]*TextCheck `yaml:"files" strict:"optional"`
	Store  []StoredValue         `yaml:"store"`  // values that must be in the agent's store
	Limits Limits                `yaml:"limits"` // the most that the turn may use

	node strictyaml.Node
}

// UnmarshalStrict decodes the expectation and keeps its place.
func (e *Expectation) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	type keys Expectation
	if err := n.Decode((*keys)(e)); err != nil {
		return err
	}
	e.node = n
	for _, implied := range []struct {
		key, status string
	}{{"error", "failed"}, {"interrupts", "interrupted"}} {
		key, given := n.Key(implied.key)
		switch {
		case !given:
		case e.Status == "":
			e.Status = implied.status
		case e.Status != implied.status:
			return key.Errorf("%s goes with status: %s; remove one of them", implied.key, implied.status)
		}
	}
	if files, ok := n.Get("files"); ok {
		return checkPaths(files)
	}
	return nil
}

// ExpectedInterrupt is a question that the agent must ask.
type ExpectedInterrupt struct {
	Call  string         `yaml:"call"`  // the tool of a call that a person must decide about
	Args  map[string]any `yaml:"args"`  // the arguments of that call; the call may have others besides
	Key   string         `yaml:"key"`   // the key of a question that is not about a call
	Value any            `yaml:"value"` // the question with that key
}

// CheckStrict demands one kind of question.
func (i *ExpectedInterrupt) CheckStrict(n strictyaml.Node) error {
	if (i.Call == "") == (i.Key == "") {
		return n.Errorf("an interrupt needs either the key \"call\" with the name of a tool, or \"key\" with the key of the question")
	}
	for key, belongs := range map[string]bool{"args": i.Call != "", "value": i.Key != ""} {
		if at, given := n.Key(key); given && !belongs {
			return at.Errorf("the key %q does not belong here; remove it", key)
		}
	}
	return nil
}

// ExpectedMessage is a message that the turn must add.
type ExpectedMessage struct {
	Role    string     `yaml:"role" strict:"required,enum=human|ai|tool|system"` // who the message is from
	Name    string     `yaml:"name"`                                             // the name of the tool or the agent
	Status  string     `yaml:"status" strict:"enum=success|error"`               // whether the tool failed
	Content *TextCheck `yaml:"content"`                                          // the text of the message
}

// ToolCalls are the calls of tools that a turn must make. In a file they are a list of calls, which stands for exactly these in this
// order, or a mapping.
type ToolCalls struct {
	Exactly []ExpectedCall `yaml:"exactly"` // all calls
	Include []ExpectedCall `yaml:"include"` // some of the calls
	// whether the order of these calls matters: given (the default), or any
	Order string   `yaml:"order" strict:"enum=given|any" schema:"default=given"`
	Never []string `yaml:"never"` // the names of tools that must not be called

	listed bool // exactly is given, perhaps as an empty list
}

// UnmarshalStrict decodes one of the forms.
func (c *ToolCalls) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindList {
		c.listed = true
		return n.Decode(&c.Exactly)
	}
	type keys ToolCalls
	if err := n.Decode((*keys)(c)); err != nil {
		return err
	}
	_, c.listed = n.Get("exactly")
	if at, given := n.Key("include"); given && c.listed {
		return at.Errorf("tool_calls has either exactly or include; remove one of them")
	}
	return nil
}

// JSONForms returns the schema of a list.
func (ToolCalls) JSONForms() []map[string]any {
	return []map[string]any{{"type": "array", "items": reflect.TypeFor[ExpectedCall]()}}
}

// ExpectedCall is a call of a tool.
type ExpectedCall struct {
	Name string         `yaml:"name" strict:"required"` // the name of the tool
	Args map[string]any `yaml:"args" strict:"optional"` // all arguments of the call
	// arguments that the call must have, besides others
	ArgsContain map[string]any `yaml:"args_contain"`
	ArgsSchema  map[string]any `yaml:"args_schema"` // the JSON Schema that the arguments must fit
	Result      *TextCheck     `yaml:"result"`      // the text of the result
	// whether the call must succeed or fail
	Status string `yaml:"status" strict:"enum=success|error"`

	node strictyaml.Node
}

// UnmarshalStrict decodes the call and keeps its place.
func (c *ExpectedCall) UnmarshalStrict(n strictyaml.Node) error {
	type keys ExpectedCall
	if err := n.Decode((*keys)(c)); err != nil {
		return err
	}
	c.node = n
	if c.ArgsSchema != nil {
		if _, err := compile(c.ArgsSchema); err != nil {
			at, _ := n.Get("args_schema")
			return at.Errorf("%w", err)
		}
	}
	return nil
}

// Limits are the most that a turn may use. 0 means that there is no limit.
type Limits struct {
	ModelCalls int              `yaml:"model_calls" strict:"min=1"` // calls of models
	ToolCalls  int              `yaml:"tool_calls" strict:"min=1"`  // calls of tools that the model makes
	Steps      int              `yaml:"steps" strict:"min=1"`       // steps of the run
	Tokens     strictyaml.Count `yaml:"tokens" strict:"min=1"`      // tokens of requests and answers together
}
