package preflight

import "fmt"

// Rule names what a module breaks.
type Rule string

// The rules.
const (
	Malformed   Rule = "malformed"   // it is not a module of WebAssembly 2.0, or one that wazero reads differently
	Limit       Rule = "limit"       // it is larger than a limit allows
	Unsupported Rule = "unsupported" // it needs a feature that is off
	Link        Rule = "link"        // it imports or exports what no guest may
)

// Error is a module that is refused.
type Error struct {
	Rule   Rule
	Offset int // in the module
	Text   string
}

func (e *Error) Error() string { return fmt.Sprintf("offset %#x: %s: %s", e.Offset, e.Rule, e.Text) }
