package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// UnsupportedContent replaces what the model cannot take by a text that says so: images, sound, films and documents in the messages
// of people and in results of tools. The thread keeps the originals, so that a later model may see them. Without it, the provider
// refuses such a request, and with it the rest of the conversation.
//
// The profile of the request's model decides. What the profile leaves open is sent. A document that is given with its bytes and is no
// PDF is replaced unless the model is known to take its type; a document that is given by its address or its id is always sent.
//
// List it last: it looks at the model that model_router or model_fallback has chosen.
//
// Behaviour and text are those of deepagents 0.7.32's UnsupportedContentMiddleware, with two differences: Anthropic's and Gemini's
// models take the documents that agenthost can send to them, and the text names read_file only for what read_file has read.
type UnsupportedContent struct{}

var unsupportedContentEntry = Entry{
	Name:    "unsupported_content",
	Summary: "replaces images and other media that the model does not take by a text",
	Example: `- unsupported_content
`,
	New: func() host.Middleware { return &UnsupportedContent{} },
}

// Name returns "unsupported_content".
func (UnsupportedContent) Name() string { return "unsupported_content" }

// Hooks returns the hook.
func (UnsupportedContent) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	const reason = "it has to know which model is asked"
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: replaceUnsupported, PassesTokens: true},
		Order:         insideModelChoice(reason),
	}, nil
}

func replaceUnsupported(
	ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	var messages []abi.Message // nil: nothing is replaced
	for i, m := range req.Messages.All() {
		content, replaced := supportedContent(req.Model, m)
		if !replaced {
			continue
		}
		if messages == nil {
			messages = req.Messages.Messages()
		}
		messages[i].Content = content
	}
	if messages != nil {
		req = req.WithMessages(history.Of(messages...))
	}
	resp, err := next(ctx, req)
	return resp, nil, err
}

// supportedContent returns the content of a message with texts in place of the blocks that the model does not take. It reports
// whether there are any.
func supportedContent(m model.Model, message *abi.Message) (content abi.Content, replaced bool) {
	if message.Content.IsText() || message.Role != abi.RoleHuman && message.Role != abi.RoleTool {
		return message.Content, false
	}
	blocks := append([]abi.Block(nil), message.Content.Blocks()...)
	for i, block := range blocks {
		if !sendable(m, message.Role, block) {
			blocks[i], replaced = abi.TextBlock(unsupportedText(block)), true
		}
	}
	return abi.Blocks(blocks...), replaced
}

// sendable reports whether a model takes a block in a message of the role, as far as its profile says.
func sendable(m model.Model, role abi.Role, block abi.Block) bool {
	if block.Type() == abi.BlockFile {
		inline := block.Data() != nil || strings.HasPrefix(block.String("url"), "data:")
		if !inline {
			return true
		}
		if kind := block.String("mime_type"); kind != "application/pdf" {
			taker, ok := model.As[model.DocumentTaker](m)
			return ok && taker.TakesDocument(kind)
		}
	}
	info := m.Info()
	return info.Takes(role, block.Type()) != model.SupportNo
}

// unsupportedText is deepagents' text where read_file says what file a block comes from. What somebody else has attached was not
// read from a file.
func unsupportedText(block abi.Block) string {
	subject := "This " + block.Type()
	if path := block.String(mediaPath); path != "" {
		subject = "read_file: " + path
	}
	return fmt.Sprintf("[%s was not attached because this model does not support %s content (%s).]",
		subject, block.Type(), cmp.Or(block.String("mime_type"), "unknown"))
}
