package plugin

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Asks is what a plugin asks of its host: more of it means that the plugin learns or does more. Each list is sorted.
type Asks struct {
	Hooks        []string // the hooks that it has; one that is limited to some tools has an entry for each, such as "wrap_tool_call of delete"
	Messages     []string // the messages that its hooks see, such as "before_model new" and "wrap_model_call last 3"
	Capabilities []string // the operations that it wants to call
	Context      []string // the keys of the run's context that it is shown
	Reads        []string // the fields of other middleware that it reads
	Writes       []string // the fields of other middleware that it writes
}

// AsksOf returns what a Description asks for.
func AsksOf(d *abi.Description) Asks {
	asked := map[*[]string]map[string]bool{}
	var a Asks
	add := func(list *[]string, name string) {
		if asked[list] == nil {
			asked[list] = map[string]bool{}
		}
		asked[list][name] = true
	}
	for i := range d.Capabilities {
		add(&a.Capabilities, d.Capabilities[i].Op)
	}
	for _, key := range d.Context {
		add(&a.Context, key)
	}
	for _, name := range abi.Hooks() {
		spec := d.Hooks.Spec(name)
		if spec == nil {
			continue
		}
		if len(spec.Tools) == 0 {
			add(&a.Hooks, string(name))
		}
		for _, tool := range spec.Tools {
			add(&a.Hooks, string(name)+ofTool+tool)
		}
		if !spec.Messages.IsZero() {
			add(&a.Messages, string(name)+" "+spec.Messages.String())
		}
		for _, list := range []struct {
			fields []string
			into   *[]string
		}{{spec.Reads, &a.Reads}, {spec.Writes, &a.Writes}} {
			for _, field := range list.fields {
				if !declares(d, field) {
					add(list.into, field)
				}
			}
		}
	}
	for list, names := range asked {
		*list = slices.Sorted(maps.Keys(names))
	}
	return a
}

// ofTool stands between the name of a hook and that of a tool that it is limited to.
const ofTool = " of "

// Beyond returns what a asks for and allowed does not have.
func (a Asks) Beyond(allowed Asks) Asks {
	beyond := func(asked, allowed []string, permits func(allowed, asked string) bool) (more []string) {
		for _, name := range asked {
			if !slices.ContainsFunc(allowed, func(one string) bool { return one == name || permits(one, name) }) {
				more = append(more, name)
			}
		}
		return more
	}
	never := func(string, string) bool { return false }
	return Asks{
		Hooks:        beyond(a.Hooks, allowed.Hooks, forAllTools),
		Messages:     beyond(a.Messages, allowed.Messages, showsAsMuch),
		Capabilities: beyond(a.Capabilities, allowed.Capabilities, never), Context: beyond(a.Context, allowed.Context, never),
		Reads: beyond(a.Reads, allowed.Reads, never), Writes: beyond(a.Writes, allowed.Writes, never),
	}
}

// forAllTools reports whether one entry of [Asks.Hooks] is a hook without a limit, and the other the same hook for one tool.
func forAllTools(allowed, asked string) bool {
	hook, _, limited := strings.Cut(asked, ofTool)
	return limited && hook == allowed
}

// showsAsMuch reports whether one entry of [Asks.Messages] covers another: it is for the same hook, and its view shows as much. New
// messages are sooner or later more than the last few.
func showsAsMuch(allowed, asked string) bool {
	allowedHook, allowedView, _ := strings.Cut(allowed, " ")
	askedHook, askedView, _ := strings.Cut(asked, " ")
	size := func(view string) uint64 {
		switch count, isLast := strings.CutPrefix(view, "last "); {
		case view == "all":
			return math.MaxUint64
		case view == "new":
			return math.MaxUint64 - 1
		case isLast:
			n, _ := strconv.ParseUint(count, 10, 63)
			return n
		default:
			return 0
		}
	}
	return allowedHook == askedHook && size(allowedView) >= size(askedView) && size(askedView) > 0
}

// lists returns the lists with their names, in the order in which people read them.
func (a *Asks) lists() []namedList {
	return []namedList{
		{"hooks", a.Hooks},
		{"messages", a.Messages},
		{"capabilities", a.Capabilities},
		{"context", a.Context},
		{"reads", a.Reads},
		{"writes", a.Writes},
	}
}

// namedList is a list of [Asks].
type namedList struct {
	name  string
	names []string
}

// IsZero reports whether nothing is asked for.
func (a Asks) IsZero() bool {
	return !slices.ContainsFunc(a.lists(), func(l namedList) bool { return len(l.names) > 0 })
}

// String lists what is asked for, such as "hooks before_model; capabilities kv.get". The names are the plugin's.
func (a Asks) String() string {
	var parts []string
	for _, list := range a.lists() {
		if len(list.names) > 0 {
			parts = append(parts, list.name+" "+clean(strings.Join(list.names, ", "), 500))
		}
	}
	return strings.Join(parts, "; ")
}

// ErrAsksMore means that a plugin asks for more than [Wasm.Asks].
var ErrAsksMore = errors.New("it asks for more than was accepted")

// checkAsks refuses a plugin that asks for more than the operator has accepted.
func (p *Plugin) checkAsks() error {
	if p.accepted == nil {
		return nil
	}
	more := AsksOf(&p.described).Beyond(*p.accepted)
	if more.IsZero() {
		return nil
	}
	return p.fault(abi.ExportDescribe, KindDenied, fmt.Sprintf("%s: %s", ErrAsksMore, more), ErrAsksMore)
}
