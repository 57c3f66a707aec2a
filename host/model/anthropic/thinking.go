package anthropic

import "slices"

// The types of the setting "thinking".
const (
	thinkingEnabled  = "enabled"
	thinkingDisabled = "disabled"
)

// think converts the history. If the model's current turn began without thinking, it turns the setting "enabled" off for this
// request: the API refuses a turn with calls that begins without a thought ("a final `assistant` message must start with a
// thinking block … To avoid this requirement, disable `thinking`"). A turn begins like that if another provider made the calls.
// The type "adaptive" has no such requirement.
func think(body object, convert func(thinking any) []turn) []turn {
	turns := convert(body["thinking"])
	setting, _ := body["thinking"].(map[string]any)
	if setting["type"] != thinkingEnabled || !unthought(turns) {
		return turns
	}
	body["thinking"] = object{"type": thinkingDisabled}
	return convert(body["thinking"])
}

// unthought reports whether the conversation ends with answers to calls of a turn that begins without a thought.
func unthought(turns []turn) bool {
	last := len(turns) - 1
	if last < 1 || !slices.ContainsFunc(turns[last].Content, func(b object) bool { return b["type"] == kindToolResult }) {
		return false
	}
	return !isThought(turns[last-1].Content[0])
}
