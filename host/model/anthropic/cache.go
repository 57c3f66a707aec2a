package anthropic

import (
	"maps"

	"github.com/agenthost/agenthost/abi/wire"
)

// maxMarks is how many cache marks a request may have.
const maxMarks = 4

// cache takes the setting out of a body and uses its value to mark the last tool, the last block of the system prompt and the
// last block of the conversation. The API itself would mark only the last of these, and not everywhere it is offered. Existing
// marks stay.
//
// If there is no room for every mark, the tools lose theirs first, because the mark of the system prompt covers them too.
func cache(body object, tools, system []object, messages []turn) {
	setting, ok := body[cacheControl]
	if !ok {
		return
	}
	mark, isMark := setting.(map[string]any)
	if setting != nil && !isMark { // the API reports what is wrong
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

// prompt holds the parts of a prompt, in the order in which they are cached.
type prompt []object

// add adds parts. It returns the index of the last one that can be marked; -1 if there is none.
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

// takesMark reports whether the API accepts a mark on a part. It does not on thoughts, on notes that another model has taken
// over, and on tools that are loaded later.
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

// mark marks a part if the API accepts another mark. Marks with a longer lifetime must come before shorter ones. A mark that
// would break this order is omitted if a later one covers its part, and otherwise shortened to match the one before.
func (p prompt) mark(at int, mark object) {
	if at < 0 || p[at][cacheControl] != nil {
		return
	}
	marks, shorterBefore, longerBehind := 0, false, false
	for i, part := range p {
		other := part[cacheControl]
		if raw, ok := other.(wire.Raw); other == nil || ok && !raw.IsMap() { // none, or one that turns caching off
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

// isLong reports whether a mark lasts longer than the usual five minutes.
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
