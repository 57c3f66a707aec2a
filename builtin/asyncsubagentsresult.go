package builtin

import (
	"encoding/base64"
	"net/url"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/client"
)

const (
	maxTaskResult = 1_000_000 // characters of a result or a question that the model sees
	maxTaskBlocks = 256       // parts of a result
	maxTaskMedia  = 4 << 20   // bytes of the media of a result, and of their addresses
)

// mediaLeftOut replaces media for which there is no room.
const mediaLeftOut = "[Media left out: the media of this result are larger than 4 MiB.]"

// answer returns what check_async_task says about a task.
func (o *observation) answer(t *asyncTask, status string) abi.Content {
	pairs := []wire.Pair{{Key: "status", Value: wire.String(status)}, {Key: "thread_id", Value: wire.String(t.ThreadID)}}
	add := func(key string, value wire.Raw) { pairs = append(pairs, wire.Pair{Key: key, Value: value}) }
	switch status {
	case client.Pending:
		add("note", wire.String(pendingNote))
	case client.Success:
		result := finalContent(o.thread)
		if hasMedia(result) {
			return abi.Blocks(append([]abi.Block{abi.TextBlock(spacedObject(pairs))}, result.Blocks()...)...)
		}
		add("result", wire.String(result.Text()))
	case client.Failed:
		failure := taskFailed
		if o.run.Error != "" {
			failure = text.Cut(o.run.Error, maxTaskResult)
		}
		add("error", wire.String(failure))
	case taskWaiting:
		add("interrupts", interruptsIn(o.thread))
		add("note", wire.String(waitingNote))
	}
	return abi.Text(text.Cut(spacedObject(pairs), 2*maxTaskResult))
}

// interruptsIn returns what the thread waits for: a list of {id, value}.
func interruptsIn(thread *client.Thread) wire.Raw {
	out := wire.AppendArrayHeader(nil, len(thread.Interrupts))
	for _, asked := range thread.Interrupts {
		value := asked.Value
		if value.IsZero() {
			value = wire.Raw{0xc0}
		}
		out = append(out, wire.Map{{Key: "id", Value: wire.String(asked.ID)}, {Key: "value", Value: value}}.Raw()...)
	}
	return out
}

func hasMedia(content abi.Content) bool {
	for _, block := range content.Blocks() {
		if block.IsMedia() {
			return true
		}
	}
	return false
}

// finalContent returns the texts and media of the last message of a thread.
func finalContent(thread *client.Thread) abi.Content {
	messages, _ := thread.Values.Get("messages").Items()
	if len(messages) == 0 {
		return abi.Text(noOutput)
	}
	last := messages[len(messages)-1]
	content := last.Get("content")
	if !last.IsMap() { // other servers may keep texts
		content = last
	}
	if said, ok := content.AsString(); ok {
		return abi.Text(text.Cut(said, maxTaskResult))
	}
	if !content.IsArray() {
		if content.IsNil() {
			return abi.Content{}
		}
		return abi.Text(text.Cut(content.JSON(), maxTaskResult)) // a message of another kind of server
	}
	var out abi.Content
	left, leftMedia, parts := maxTaskResult, maxTaskMedia, 0
	for part := range content.Elements() {
		parts++
		if parts > maxTaskBlocks {
			break
		}
		block, ok := resultBlock(part)
		if !ok {
			continue
		}
		if size := len(block.Data()) + len(block.String("url")); size <= leftMedia {
			leftMedia -= size
		} else {
			block = abi.TextBlock(mediaLeftOut)
		}
		if said := block.Text(); said != "" {
			said = text.Cut(said, left)
			left -= len(said)
			out = out.Append(abi.Text(said))
			if left <= 0 {
				break
			}
			continue
		}
		out = out.Append(abi.Blocks(block))
	}
	return out
}

// resultBlock reads a part of a message: a text, or media in the forms of LangChain and OpenAI. ok is false for other parts, such as
// reasoning and tool calls, and for media that nothing could show. Media keep only their kind, MIME type, and data or web address:
// other keys could steer a provider, such as cache_control, or name its files, such as file_id.
func resultBlock(part wire.Raw) (block abi.Block, ok bool) {
	if said, isText := part.AsString(); isText {
		return abi.TextBlock(said), true
	}
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(part); err != nil {
		return block, false
	}
	block = abi.BlockOf(fields)
	switch {
	case block.Type() == abi.BlockText:
		return abi.TextBlock(block.Text()), true
	case block.Type() == "image_url":
		address, _ := fields.Get("image_url").Get("url").AsString()
		if address == "" {
			address = block.String("image_url")
		}
		return abi.ImageURLBlock(address), isWebAddress(address)
	case block.IsMedia():
		return mediaBlock(block)
	default:
		return block, false
	}
}

// mimeType is the form of the MIME types that media keep.
var mimeType = lazyregexp.New(`^[\w.+-]{1,64}/[\w.+-]{1,64}$`)

// mediaBlock returns the block with the allowed keys only. ok is false if it has neither data nor a web address.
func mediaBlock(block abi.Block) (allowed abi.Block, ok bool) {
	fields := wire.Map{}
	fields.Set("type", wire.String(block.Type()))
	if kind := block.String("mime_type"); mimeType().MatchString(kind) {
		fields.Set("mime_type", wire.String(kind))
	}
	switch data, address := block.Data(), block.String("url"); {
	case len(data) > 0:
		fields.Set("base64", wire.String(base64.StdEncoding.EncodeToString(data)))
	case isWebAddress(address):
		fields.Set("url", wire.String(address))
	default:
		return allowed, false
	}
	return abi.BlockOf(fields), true
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
