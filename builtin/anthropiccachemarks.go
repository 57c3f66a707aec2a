package builtin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// cacheMark is the setting, and the key of a block or tool, that asks Anthropic to cache a prompt.
const cacheMark = "cache_control"

// anthropic is the provider of Anthropic's models.
const anthropic = "anthropic"

// takesCacheMarks reports whether a model accepts marks for its prompt cache: it says so, or it is a model of Anthropic
// that says nothing.
func takesCacheMarks(info model.Info) bool {
	return info.Caching || info.Provider == anthropic && model.Lookup(anthropic, info.Name).MaxInputTokens == 0
}

// withoutCacheMarks returns a request without marks in its settings, provider tools, system prompt and messages. Unmarked
// parts are shared.
func withoutCacheMarks(req *model.Request) *model.Request {
	out := *req
	out.Settings = unmarkedSettings(req.Settings)
	if system, marked := unmarkedContent(req.System); marked {
		out.System = system
	}
	var messages []abi.Message
	for i, m := range req.Messages.All() {
		content, marked := unmarkedContent(m.Content)
		if !marked {
			continue
		}
		if messages == nil {
			messages = req.Messages.Messages()
		}
		messages[i].Content = content
	}
	if messages != nil {
		out.Messages = history.Of(messages...)
	}
	return &out
}

func unmarkedSettings(settings wire.Map) wire.Map {
	settings, _ = unmarked(settings)
	entries, ok := settings.Get("tools").Items()
	if !ok {
		return settings
	}
	changed := false
	tools := wire.AppendArrayHeader(nil, len(entries))
	for _, entry := range entries {
		var tool wire.Map
		if _, err := tool.UnmarshalMsg(entry); err == nil {
			if plain, marked := unmarked(tool); marked {
				entry, changed = plain.Raw(), true
			}
		}
		tools = append(tools, entry...)
	}
	if !changed {
		return settings
	}
	return settings.With(wire.Map{{Key: "tools", Value: tools}})
}

func unmarkedContent(c abi.Content) (abi.Content, bool) {
	if c.IsText() {
		return c, false
	}
	blocks, changed := slices.Clone(c.Blocks()), false
	for i, block := range blocks {
		if plain, marked := unmarked(block.Fields()); marked {
			blocks[i], changed = abi.BlockOf(plain), true
		}
	}
	if !changed {
		return c, false
	}
	return abi.Blocks(blocks...), true
}

// unmarked returns a map without the mark.
func unmarked(fields wire.Map) (plain wire.Map, marked bool) {
	if !fields.Has(cacheMark) {
		return fields, false
	}
	plain = slices.Clone(fields)
	plain.Delete(cacheMark)
	return plain, true
}
