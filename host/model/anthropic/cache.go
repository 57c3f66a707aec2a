package anthropic

import (
	"maps"

	"github.com/agenthost/agenthost/abi/wire"
)

// maxMarks is how many cache marks a request may have.
const maxMarks = 4

// cache takes the setting out of a body and marks with its value the last tool, the last block of the system prompt and the
// last one of the conversation. The API itself would mark the last of these alone, and that not everywhere where it is
// offered. What is marked already stays as it is.
//
// The first mark that finds no room is that of the tools, since the system prompt's is good for them too.
func cache(body object, tools, system []object, messages []turn) {
	setting, ok := body[cacheControl]
	if !ok {
		return
	}
	mark, isMark := setting.(map[string]any)
	if setting != nil && !isMark { // the API says what is wrong
		return
	}
	delete(body, cacheControl)
	if len(mark) == 0 {
		return
	}
	p := prompt{}
	lastTool := p.add(tools)
	lastSystem := p.add(system)
	lastBlock := -1
	for i := range messages {
		lastBlock = max(lastBlock, p.add(messages[i].Content))
	}
	for _, at := range []int{lastBlock, lastSystem, lastTool} {
		p.mark(at, mark)
	}
}

// prompt are the parts of a prompt, in the order in which they are cached.
type prompt []object

// add adds parts. It returns the index of the last of them that can be marked; -1: there is none.
func (p *prompt) add(parts []object) int {
	last := -1
	for _, part := range parts {
		if takesMark(part) {
			last = len(*p)
		}
		*p = append(*p, part)
	}
	return last
}

// takesMark reports whether the API takes a mark at a part: at no thought, at no note that another model has taken over, and
// at no tool that is loaded later.
func takesMark(part object) bool {
	switch part["type"] {
	case kindThinking, kindRedactedThinking, "fallback":
		return false
	}
	deferred := part["defer_loading"]
	if raw, ok := deferred.(wire.Raw); ok {
		deferred, _ = raw.AsBool()
	}
	return deferred != true
}

// mark marks a part, if the API takes another mark. What is to be kept for longer must stand before the rest: a mark that
// would break that is left out where a later one is good for its part too, and else as short as the one before.
func (p prompt) mark(at int, mark object) {
	if at < 0 || p[at][cacheControl] != nil {
		return
	}
	marks, shorterBefore, longerBehind := 0, false, false
	for i, part := range p {
		other := part[cacheControl]
		if raw, ok := other.(wire.Raw); other == nil || ok && !raw.IsMap() { // none, or one that says that there is to be none
			continue
		}
		marks++
		shorterBefore = shorterBefore || i < at && !isLong(other)
		longerBehind = longerBehind || i > at && isLong(other)
	}
	switch {
	case marks >= maxMarks, longerBehind && !isLong(mark):
		return
	case shorterBefore && isLong(mark):
		mark = maps.Clone(mark)
		delete(mark, "ttl")
	}
	p[at][cacheControl] = mark
}

// isLong reports whether a mark keeps for longer than the usual five minutes.
func isLong(mark any) bool {
	switch mark := mark.(type) {
	case map[string]any:
		ttl, ok := mark["ttl"].(string)
		return ok && ttl != "5m"
	case wire.Raw:
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(mark); err != nil {
			return false
		}
		ttl, ok := fields.Get("ttl").AsString()
		return ok && ttl != "5m"
	default:
		return false
	}
}
