package kv

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/store"
)

// Namespace identifies a plugin's entries for one run, for one thread, or for itself. Namespaces that differ in any field
// share nothing.
type Namespace struct {
	Plugin string // the middleware's name
	Scope  abi.Scope
	ID     string // id of the run or the thread; "" in the scope of the plugin
}

// path returns where the entries of a namespace are, or reports an invalid namespace. All names in a path come from the host
// and the operator: those of the agent, the scope, the run or thread, and the plugin. Each name is one element, whatever it
// contains (see [nameOf]), and the scope is one of three. So two different namespaces have different paths, and neither path
// is below the other.
func (s *Store) path(ns Namespace) (store.Namespace, error) {
	switch {
	case ns.Plugin == "":
		return nil, fmt.Errorf("%w: the namespace names no plugin", store.ErrInvalid)
	case ns.Scope != abi.ScopePlugin:
		owner, err := s.owner(ns.Scope, ns.ID)
		return append(owner, nameOf(ns.Plugin)), err
	case ns.ID != "":
		return nil, fmt.Errorf("%w: a namespace with the scope plugin has no id", store.ErrInvalid)
	default:
		return s.under(string(ns.Scope), nameOf(ns.Plugin)), nil
	}
}

// owner returns the parent of the entries of all plugins for a run or a thread, or reports a scope and id that identify
// neither.
func (s *Store) owner(scope abi.Scope, id string) (store.Namespace, error) {
	switch {
	case scope != abi.ScopeRun && scope != abi.ScopeThread:
		return nil, fmt.Errorf("%w: the scope is %q; use run or thread", store.ErrInvalid, scope)
	case id == "":
		return nil, fmt.Errorf("%w: the scope %s needs an id", store.ErrInvalid, scope)
	default:
		return s.under(string(scope), nameOf(id)), nil
	}
}

// under returns a path below that of all plugins.
func (s *Store) under(names ...string) store.Namespace { return slices.Concat(s.above, names) }

// maxName is the length of the longest name that is used in a path unchanged, in bytes. A path has at most three.
const maxName = 200

// nameOf makes a path name from any text, and different names from different texts: thread ids, for example, come from a
// program's users. A text that is long, is invalid in a path, or looks like an encoded name becomes "%" and its digest.
func nameOf(text string) string {
	if text != "" && text[0] != '%' && len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "%" + hex.EncodeToString(sum[:])
}
