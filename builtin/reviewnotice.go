package builtin

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
)

// noted puts a notice before the result of an edited call. The model sees its own call in the history and might repeat it
// otherwise.
func (r *reviewer) noted(result *abi.Message, performed *abi.ToolCall) *abi.Message {
	if r.notice == "" {
		return result
	}
	notice := fmt.Sprintf("%s Executed instead: %s with arguments %s.", r.notice, performed.Name, performed.Args.JSON())
	out := *result
	switch content := result.Content; {
	case content.IsZero():
		out.Content = abi.Text(notice)
	case content.IsText():
		out.Content = abi.Text(notice + "\n\nTool response:\n" + content.Text())
	default:
		blocks := append([]abi.Block{abi.TextBlock(notice + "\n\nTool response:")}, content.Blocks()...)
		out.Content = abi.Blocks(blocks...)
	}
	return &out
}
