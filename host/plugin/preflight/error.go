package preflight

import "fmt"

// Rule names a rule that a module can break.
type Rule string

// The rules.
const (
	Malformed   Rule = "malformed"   // it is not a module of WebAssembly 2.0, or wazero reads it differently
	Limit       Rule = "limit"       // it exceeds a limit
	Unsupported Rule = "unsupported" // it needs a disabled feature
	Link        Rule = "link"        // it imports or exports something that guests may not import or export
)

// Error reports why a module is refused.
type Error struct {
	Rule   Rule
	Offset int // offset in the module
	Text   string
}

func (e *Error) Error() string { return fmt.Sprintf("offset %#x: %s: %s", e.Offset, e.Rule, e.Text) }
