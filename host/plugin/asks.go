package plugin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Asks is what a plugin asks of its host: more of it means that the plugin learns or does more. Each list is sorted.
type Asks struct {
	Hooks        []string // the hooks that it has
	Capabilities []string // the operations that it wants to call
	Reads        []string // the fields of other middleware that it reads
	Writes       []string // the fields of other middleware that it writes
}

// AsksOf returns what a Description asks for.
func AsksOf(d *abi.Description) Asks {
	var hooks []string
	capabilities, reads, writes := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range d.Capabilities {
		capabilities[d.Capabilities[i].Op] = true
	}
	for _, name := range abi.Hooks() {
		spec := d.Hooks.Spec(name)
		if spec == nil {
			continue
		}
		hooks = append(hooks, string(name))
		for _, list := range []struct {
			fields []string
			into   map[string]bool
		}{{spec.Reads, reads}, {spec.Writes, writes}} {
			for _, field := range list.fields {
				if !declares(d, field) {
					list.into[field] = true
				}
			}
		}
	}
	slices.Sort(hooks)
	return Asks{
		Hooks: hooks, Capabilities: slices.Sorted(maps.Keys(capabilities)), Reads: slices.Sorted(maps.Keys(reads)), Writes: slices.Sorted(maps.Keys(writes)),
	}
}

// Beyond returns what a asks for and allowed does not have.
func (a Asks) Beyond(allowed Asks) Asks {
	beyond := func(asked, allowed []string) (more []string) {
		for _, name := range asked {
			if !slices.Contains(allowed, name) {
				more = append(more, name)
			}
		}
		return more
	}
	return Asks{
		Hooks: beyond(a.Hooks, allowed.Hooks), Capabilities: beyond(a.Capabilities, allowed.Capabilities),
		Reads: beyond(a.Reads, allowed.Reads), Writes: beyond(a.Writes, allowed.Writes),
	}
}

// IsZero reports whether nothing is asked for.
func (a Asks) IsZero() bool {
	return len(a.Hooks)+len(a.Capabilities)+len(a.Reads)+len(a.Writes) == 0
}

// String lists what is asked for, such as "hooks before_model; capabilities kv.get". The names are the plugin's.
func (a Asks) String() string {
	var parts []string
	for _, list := range []struct {
		name  string
		names []string
	}{{"hooks", a.Hooks}, {"capabilities", a.Capabilities}, {"reads", a.Reads}, {"writes", a.Writes}} {
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
