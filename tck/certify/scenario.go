package certify

import (
	"math"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// scenario makes scenes for a check from the simplest scene of a hook or tool. It makes none if the check does not
// apply.
type scenario struct {
	check  string
	scenes func(c *certifier, base *scene) []*scene
}

func callScenarios() []scenario {
	return []scenario{
		{"call.minimal", func(_ *certifier, base *scene) []*scene { return []*scene{base} }},
		{"call.full", func(c *certifier, base *scene) []*scene { return []*scene{c.full(base), c.full(base)} }},
		{"call.empty-history", (*certifier).emptyHistory},
		{"call.roles", (*certifier).roles},
		{"call.numbers", (*certifier).numbers},
		{"call.unicode", (*certifier).unicode},
		{"call.large", (*certifier).large},
		{"call.answers", (*certifier).unasked},
		{"call.context", (*certifier).context},
		{"call.blocks", (*certifier).blocks},
		{"call.deep", (*certifier).deep},
		{"call.long", (*certifier).long},
		{"call.views", (*certifier).views},
		{"call.random", (*certifier).random},
	}
}

// shows reports whether the hook sees messages.
func (s *scene) shows() bool { return s.spec != nil && !s.spec.Messages.IsZero() }

// withHistory returns the scene with another history. In wrap_tool_call, the history ends with the call.
func (s *scene) withHistory(list []abi.Message) *scene {
	out := *s
	if s.export == string(abi.WrapToolCall) {
		list = withCall(list, s.call)
	}
	out.history = list
	return &out
}

// full returns a scene in which every optional part is present.
func (c *certifier) full(base *scene) *scene {
	const messages = 8
	s := base.withHistory(conversation(c.rng, messages))
	s.thread, s.known, s.tools = "thread-1", true, []string{"search", "fetch"}
	s.system = abi.Text("Be brief.")
	s.values = c.values()
	s.context = c.contextOf(func(string) any { return strangeTexts[c.rng.IntN(len(strangeTexts))] })
	s.n = 2 + c.rng.Uint64N(100)
	s.call.Args = c.fullArguments(s.call.Name)
	return s
}

// values makes a value for each field for which it finds one.
func (c *certifier) values() wire.Map {
	var out wire.Map
	for i := range c.plugin.Fields {
		if v, ok := fieldValue(c.rng, &c.plugin.Fields[i]); ok {
			out.Set(c.plugin.Fields[i].Name, v)
		}
	}
	for _, name := range abi.Hooks() {
		if spec := c.plugin.Hooks.Spec(name); spec != nil {
			for _, field := range spec.Reads {
				if !out.Has(field) && !slices.ContainsFunc(c.plugin.Fields, func(f abi.FieldSpec) bool { return f.Name == field }) {
					out.Set(field, value(anyValue(c.rng, 0)))
				}
			}
		}
	}
	return out
}

// fullArguments makes arguments for a tool. They fit the parameters if the tool is the plugin's own, and are arbitrary
// for other tools.
func (c *certifier) fullArguments(tool string) wire.Raw {
	at := slices.IndexFunc(c.plugin.Tools, func(t abi.ToolSpec) bool { return t.Name == tool })
	if at < 0 {
		return strangeMap(c.rng).Raw()
	}
	if c.plugin.Tools[at].Parameters.IsZero() {
		return wire.Map{}.Raw()
	}
	if args, ok := conforming(c.rng, c.plugin.Tools[at].Parameters, true); ok {
		return args
	}
	return c.arguments(tool)
}

func (c *certifier) emptyHistory(base *scene) []*scene {
	if !base.shows() {
		return nil
	}
	s := *base
	s.history = nil
	return []*scene{&s}
}

func (c *certifier) roles(base *scene) []*scene {
	if !base.shows() {
		return nil
	}
	asks := abi.AI("", abi.Call("c1", "search", nil), abi.Call("c2", "search", nil))
	list := []abi.Message{
		abi.System("Be brief."), abi.AI(""), abi.Human(""), abi.Human("again"), asks, abi.ToolFailure(asks.ToolCalls[0], ""),
		abi.ToolResult(asks.ToolCalls[1], ""),
		{Role: abi.RoleAI, InvalidToolCalls: []abi.InvalidToolCall{{Args: "{"}}},
	}
	for i := range list {
		list[i].ID = "m" + string(rune('a'+i))
	}
	var out []*scene
	for n := 1; n <= len(list); n++ {
		out = append(out, base.withHistory(list[:n]))
	}
	return out
}

// latest is the latest time of a call, in the year 2200.
const latest = 7_258_118_400_000_000_000

func (c *certifier) numbers(base *scene) []*scene {
	most := c.full(base)
	most.n, most.seed, most.now = math.MaxUint64, math.MaxUint64, latest
	least := c.full(base)
	least.n, least.seed, least.now = 1, 0, 0
	return []*scene{most, least}
}

func (c *certifier) unicode(base *scene) []*scene {
	list := make([]abi.Message, 0, len(strangeTexts))
	for i, text := range strangeTexts {
		list = append(list, abi.Message{Role: abi.RoleHuman, ID: "m" + string(rune('a'+i)), Content: abi.Text(text), Name: text})
	}
	s := base.withHistory(list)
	s.thread, s.system = "Gespräch 🧵\x00", abi.Text(strings.Join(strangeTexts, "\n"))
	s.answers = wire.Map{{Key: "schlüssel 🔑", Value: wire.String("\u0000")}}
	return []*scene{s}
}

func (c *certifier) large(base *scene) []*scene {
	reads := base.readable()
	if len(reads) == 0 {
		return nil
	}
	s := *base
	s.large = slices.Compact(slices.Sorted(slices.Values(reads)))
	s.values = c.values()
	unset := s
	unset.values = nil // the field was set and large when the input was written, and is unset when the guest reads it
	return []*scene{&s, &unset}
}

func (c *certifier) unasked(base *scene) []*scene {
	s := *base
	s.answers = strangeMap(c.rng)
	return []*scene{&s}
}

// contextOf returns a context with the keys that the plugin lists.
func (c *certifier) contextOf(of func(key string) any) wire.Map {
	var out wire.Map
	for _, key := range c.plugin.Context {
		out.Set(key, value(of(key)))
	}
	return out
}

func (c *certifier) context(base *scene) []*scene {
	if len(c.plugin.Context) == 0 {
		return nil
	}
	with := func(values wire.Map) *scene {
		s := *base
		s.context = values
		return &s
	}
	out := []*scene{
		with(nil), with(c.contextOf(func(key string) any { return key })), with(c.contextOf(func(string) any { return nil })),
		with(c.contextOf(func(string) any { return strangeMap(c.rng).Raw() })),
		with(c.contextOf(func(string) any { return nested(wire.MaxValueDepth) })),
		with(c.contextOf(func(string) any { return strings.Repeat("x", 70_000) })),
	}
	for i := range c.plugin.Context {
		out = append(out, with(c.contextOf(func(string) any { return anyValue(c.rng, 0) })[i:]))
	}
	return out
}

func (c *certifier) blocks(base *scene) []*scene {
	if !base.shows() {
		return nil
	}
	message := func(role abi.Role, id string) abi.Message {
		return abi.Message{Role: role, ID: id, Content: strangeBlocks(c.rng), Meta: strangeMap(c.rng)}
	}
	answer := message(abi.RoleTool, "m4")
	answer.ToolCallID, answer.Artifact = "c1", strangeMap(c.rng).Raw()
	calls := message(abi.RoleAI, "m3")
	calls.ToolCalls = []abi.ToolCall{abi.Call("c1", "search", nil)}
	list := []abi.Message{message(abi.RoleHuman, "m1"), message(abi.RoleSystem, "m2"), calls, answer}
	var out []*scene
	for n := range list {
		out = append(out, base.withHistory(list[:n+1]))
	}
	return out
}

func (c *certifier) deep(base *scene) []*scene {
	s := *base
	s.answers = wire.Map{{Key: "deep", Value: nested(wire.MaxValueDepth)}}
	s.history = slices.Clone(s.history)
	for i := range s.history {
		s.history[i].Meta = wire.Map{{Key: "deep", Value: nested(deepInMessage)}}
	}
	if s.export == string(abi.WrapToolCall) {
		s.call.Args = wire.Map{{Key: "deep", Value: nested(wire.MaxValueDepth - 1)}}.Raw()
	}
	return []*scene{&s}
}

func (c *certifier) long(base *scene) []*scene {
	sizes := []int{70_000, 1_200_000}
	out := make([]*scene, 0, len(sizes))
	for _, size := range sizes {
		s := *base
		switch {
		case s.shows():
			text := abi.Text(strings.Repeat("lorem ipsum ", size/12))
			list := []abi.Message{{Role: abi.RoleHuman, ID: "m1", Content: text}}
			if at := len(base.history) - 1; at > 0 && s.export != string(abi.WrapToolCall) {
				last := base.history[at]
				last.Content = text
				list = append(list, last)
			}
			s = *s.withHistory(list)
		case s.export == string(abi.WrapToolCall):
			s.call.Args = wire.Map{{Key: "q", Value: wire.String(strings.Repeat("x", size))}}.Raw()
		default:
			s.answers = wire.Map{{Key: "long", Value: wire.String(strings.Repeat("x", size))}}
		}
		out = append(out, &s)
	}
	return out
}

func (c *certifier) views(base *scene) []*scene {
	if !base.shows() || !base.spec.Messages.IsNew() {
		return nil
	}
	list := conversation(c.rng, 6)
	total := uint64(len(list))
	view := func(v abi.View) *scene {
		s := base.withHistory(list)
		v.Total = total
		s.view = &v
		return s
	}
	return []*scene{
		view(abi.View{From: total}),
		view(abi.View{From: total - 1, Items: list[total-1:]}),
		view(abi.View{From: total, Patch: list[:2], Remove: []string{"gone-1", "gone-2"}}),
		view(abi.View{Items: list, Reset: true}),
		view(abi.View{From: 2, Items: list[2:], Patch: list[:1], Remove: []string{"gone"}}),
	}
}

func (c *certifier) random(base *scene) []*scene {
	out := make([]*scene, 0, c.options.Random)
	for range c.options.Random {
		s := c.full(base)
		s = s.withHistory(conversation(c.rng, 1+c.rng.IntN(20)))
		s.seed, s.n, s.now = c.rng.Uint64(), c.rng.Uint64N(1000), c.rng.Uint64N(latest)
		s.known, s.unknown = c.rng.IntN(2) == 0, c.rng.IntN(4) == 0
		if c.rng.IntN(2) == 0 {
			s.thread = ""
		}
		if c.rng.IntN(3) == 0 {
			s.answers = strangeMap(c.rng)
		}
		for _, name := range s.readable() {
			if c.rng.IntN(4) == 0 && !slices.Contains(s.large, name) {
				s.large = append(s.large, name)
			}
		}
		slices.Sort(s.large)
		if c.rng.IntN(2) == 0 {
			s.tools = nil
		}
		if len(s.context) > 0 {
			s.context = s.context[c.rng.IntN(len(s.context)+1):]
		}
		s.next = c.randomNext(s)
		out = append(out, s)
	}
	return out
}
