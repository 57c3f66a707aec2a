package builtin

import "github.com/agenthost/agenthost/abi"

// appendSystem adds a text to the end of a system prompt, as a block of its own, as LangChain's middleware does. So a
// provider can cache the part before it. An empty text adds nothing.
func appendSystem(system abi.Content, text string) abi.Content {
	switch {
	case text == "":
		return system
	case system.IsZero():
		return abi.Text(text)
	}
	before := system.Blocks()
	blocks := make([]abi.Block, 0, len(before)+1)
	return abi.Blocks(append(append(blocks, before...), abi.TextBlock("\n\n"+text))...)
}

// prependSystem adds a text to the start of a system prompt.
func prependSystem(system abi.Content, text string) abi.Content {
	switch {
	case text == "":
		return system
	case system.IsZero():
		return abi.Text(text)
	}
	return abi.Blocks(append([]abi.Block{abi.TextBlock(text + "\n\n")}, system.Blocks()...)...)
}
