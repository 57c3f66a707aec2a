package updates

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Parts returns the content of a message as clients see it: its texts, files and links. What they don't see, such as reasoning, is left out.
func Parts(c abi.Content) a2a.ContentParts {
	var out a2a.ContentParts
	for _, block := range c.Blocks() {
		if part := partOf(block); part != nil {
			out = append(out, part)
		}
	}
	return out
}

func partOf(block abi.Block) *a2a.Part {
	switch {
	case block.Type() == abi.BlockText, block.Type() == abi.BlockRefusal:
		if block.Text() == "" {
			return nil
		}
		return a2a.NewTextPart(block.Text())
	case !block.IsMedia():
		return nil
	}
	part := &a2a.Part{MediaType: block.String("mime_type"), Filename: block.String("name")}
	data := block.Data()
	for _, key := range []string{"data", "base64"} { // an event and a client of another door have it as a text
		if data == nil {
			data, _ = base64.StdEncoding.DecodeString(block.String(key))
		}
	}
	switch address := block.String("url"); {
	case len(data) > 0:
		part.Content = a2a.Raw(data)
	case address != "":
		part.Content = a2a.URL(address)
	default:
		return nil
	}
	return part
}

// Content returns the content of a message that a client sent. Data becomes a text in JSON, which is what a model can read.
func Content(parts a2a.ContentParts) (abi.Content, error) {
	var blocks []abi.Block
	for i, part := range parts {
		if part == nil {
			return abi.Content{}, fmt.Errorf("message.parts[%d] is null", i)
		}
		switch content := part.Content.(type) {
		case a2a.Text:
			blocks = append(blocks, abi.TextBlock(string(content)))
		case a2a.Raw:
			blocks = append(blocks, fileBlock(part, content))
		case a2a.URL:
			blocks = append(blocks, linkBlock(part, string(content)))
		case a2a.Data:
			text, err := json.Marshal(content.Value)
			if err != nil {
				return abi.Content{}, fmt.Errorf("message.parts[%d]: the data cannot be used: %w", i, err)
			}
			blocks = append(blocks, abi.TextBlock(string(text)))
		default:
			return abi.Content{}, fmt.Errorf("message.parts[%d] has none of text, raw, url and data", i)
		}
	}
	return abi.Blocks(blocks...), nil
}

// kind returns the kind of block for a media type.
func kind(mediaType string) string {
	switch main, _, _ := strings.Cut(mediaType, "/"); main {
	case "image":
		return abi.BlockImage
	case "audio":
		return abi.BlockAudio
	case "video":
		return abi.BlockVideo
	default:
		return abi.BlockFile
	}
}

// fileBlock returns a file that is in the message. Without a media type it is a file of any kind.
func fileBlock(part *a2a.Part, data []byte) abi.Block {
	mediaType := part.MediaType
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	switch kind(mediaType) {
	case abi.BlockImage:
		return abi.ImageBlock(mediaType, data)
	case abi.BlockAudio:
		return abi.AudioBlock(mediaType, data)
	case abi.BlockVideo:
		return abi.VideoBlock(mediaType, data)
	default:
		return abi.FileBlock(part.Filename, mediaType, data)
	}
}

// linkBlock returns a file that is elsewhere. The model's provider fetches it; this server never does.
func linkBlock(part *a2a.Part, address string) abi.Block {
	fields := wire.Map{}
	fields.Set("type", wire.String(kind(part.MediaType)))
	fields.Set("url", wire.String(address))
	if part.MediaType != "" {
		fields.Set("mime_type", wire.String(part.MediaType))
	}
	if part.Filename != "" {
		fields.Set("name", wire.String(part.Filename))
	}
	return abi.BlockOf(fields)
}
