package cases

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// ToolResult is the result of a tool that does not run. A result with args is for calls whose arguments have these keys and values; the
// others are for the remaining calls, in their order. The last result repeats.
type ToolResult struct {
	Args    map[string]any `yaml:"args"`    // the arguments of the call that gets this result; the call may have others besides
	Content string         `yaml:"content"` // the text of the result
	Error   string         `yaml:"error"`   // the text with which the call fails, in place of content
}

// CheckStrict refuses a result with two outcomes.
func (r *ToolResult) CheckStrict(n strictyaml.Node) error {
	if _, has := n.Key("content"); has && r.Error != "" {
		return n.Errorf("a result has either content or error; remove one of them")
	}
	return nil
}

// Fits reports whether the result is for a call with these arguments. A result without args is for every call.
func (r *ToolResult) Fits(call *abi.ToolCall) bool {
	if r.Args == nil {
		return true
	}
	want, err := wire.MapOf(r.Args)
	return err == nil && len(missing("", want.Raw(), call.Args)) == 0
}
