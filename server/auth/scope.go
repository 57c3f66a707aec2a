package auth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// Scope is a right of a principal. It is always a right to what belongs to the principal's owner.
type Scope string

// The scopes.
const (
	ScopeThreads         Scope = "threads"          // read and change threads, their state and their history
	ScopeRuns            Scope = "runs"             // start, read and cancel runs and schedules
	ScopeStore           Scope = "store"            // read and change the items of the store
	ScopeAssistantsWrite Scope = "assistants:write" // create, change and delete assistants; everybody may read them
	ScopeAdmin           Scope = "admin"            // all other scopes, and what concerns the server itself
)

// Scopes returns all scopes.
func Scopes() []Scope {
	return []Scope{ScopeThreads, ScopeRuns, ScopeStore, ScopeAssistantsWrite, ScopeAdmin}
}

// ParseScope returns the scope of a name. The error has the nearest name.
func ParseScope(name string) (Scope, error) {
	if scope := Scope(name); slices.Contains(Scopes(), scope) {
		return scope, nil
	}
	names := make([]string, 0, len(Scopes()))
	for _, scope := range Scopes() {
		names = append(names, string(scope))
	}
	if near, ok := text.Nearest(name, names); ok {
		return "", fmt.Errorf("auth: there is no scope %.64q; did you mean %q?", name, near)
	}
	return "", fmt.Errorf("auth: there is no scope %.64q; the scopes are %s", name, strings.Join(names, ", "))
}

// checkScopes returns an error if one of the scopes does not exist.
func checkScopes(scopes []Scope) error {
	for _, scope := range scopes {
		if _, err := ParseScope(string(scope)); err != nil {
			return err
		}
	}
	return nil
}
