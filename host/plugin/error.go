package plugin

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// Kind classifies the faults of guests.
type Kind string

// The kinds of faults.
const (
	KindMalformed Kind = "malformed" // not a Wasm module
	KindLink      Kind = "link"      // its imports or exports do not match the ABI
	KindLimit     Kind = "limit"     // a document or the module exceeds a limit
	KindMemory    Kind = "memory"    // it needs more memory than its limit
	KindFuel      Kind = "fuel"      // it used up its fuel
	KindDeadline  Kind = "deadline"  // it took more than its time
	KindTrap      Kind = "trap"      // the code trapped
	KindProtocol  Kind = "protocol"  // it did something that the ABI or its own Description does not allow
	KindExit      Kind = "exit"      // it called proc_exit
	KindDenied    Kind = "denied"    // it needs a capability that was not granted
	KindGuest     Kind = "guest"     // it reported an error where only loading can follow
)

// The stages of a plugin's life before its first hook; the last two are exports.
const (
	stagePreflight   = "preflight"   // the module is examined
	stageLink        = "link"        // its imports and exports are compared with the ABI
	stageCompile     = "compile"     // the module is compiled
	stageInstantiate = "instantiate" // memory, data and start section
	stageInit        = "init"        // _initialize
)

// Error is a fault of a guest, or says why a plugin cannot be loaded.
type Error struct {
	Plugin  string // the middleware's name
	Digest  string // digest of the module: "sha256:" and the first 12 hexadecimal digits
	Stage   string // stage of the plugin's life: one of the names above, the hook's name, or "call_tool"
	Kind    Kind
	Message string // what happened; guest text in it is quoted or cleaned
	Err     error  // the cause, if any
}

func (e *Error) Error() string {
	return fmt.Sprintf("plugin %q (%s): %s: %s: %s", e.Plugin, e.Digest, e.Stage, e.Kind, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorType returns the error's type as events name it.
func (e *Error) ErrorType() string { return "plugin_" + string(e.Kind) }

// clean makes a guest's text safe for a terminal and a log, and cuts it to the given number of characters.
func clean(guest string, most int) string { return text.Cut(text.Clean(guest), most) }

// cleanLines is like clean, but keeps line breaks.
func cleanLines(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most]
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = clean(lines[i], most)
	}
	return strings.Join(lines, "\n")
}
