package builtin

import "github.com/agenthost/agenthost/abi"

// appendSystem returns a system prompt that says one more thing: as a block of its own behind those that are there, as
// LangChain's middleware does it, so that a provider can cache what stands before it. An empty text adds nothing.
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

// prependSystem returns a system prompt that says one more thing first.
func prependSystem(system abi.Content, text string) abi.Content {
	switch {
	case text == "":
		return system
	case system.IsZero():
		return abi.Text(text)
	}
	return abi.Blocks(append([]abi.Block{abi.TextBlock(text + "\n\n")}, system.Blocks()...)...)
}
