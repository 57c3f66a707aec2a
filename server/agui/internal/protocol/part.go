package protocol

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// part is a part of a message's content: a text, or something that its source holds.
type part struct {
	Type   string  `json:"type"`
	Text   *string `json:"text,omitempty"`
	Source *source `json:"source,omitempty"`

	// Members of the type binary, which clients before 1.0 send.
	MimeType *string `json:"mimeType,omitempty"`
	Data     *string `json:"data,omitempty"`
	URL      *string `json:"url,omitempty"`
	ID       *string `json:"id,omitempty"`
}

// source is where a part's bytes are: in value, at an address, or with the provider of the model.
type source struct {
	Type     string  `json:"type"`
	Value    string  `json:"value"`
	MimeType *string `json:"mimeType,omitempty"`
}

const documentPart = "document"

// contentOf reads the content of a message: a text or a list of parts; nothing is the empty text.
func contentOf(raw json.RawMessage) (abi.Content, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return abi.Content{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return abi.Text(text), nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return abi.Content{}, invalid("content", "it must be a text or a list of parts")
	}
	blocks := make([]abi.Block, len(parts))
	for i := range parts {
		var err error
		if blocks[i], err = parts[i].block(); err != nil {
			return abi.Content{}, invalid(fmt.Sprintf("content[%d]", i), "%v", err)
		}
	}
	return abi.Blocks(blocks...), nil
}

func (p *part) block() (abi.Block, error) {
	kind := p.Type
	switch kind {
	case "text":
		if p.Text == nil {
			return abi.Block{}, errors.New("a part of the type text needs the member text")
		}
		return abi.TextBlock(*p.Text), nil
	case abi.BlockImage, abi.BlockAudio, abi.BlockVideo:
	case documentPart:
		kind = abi.BlockFile
	case "binary":
		return p.binary()
	default:
		return abi.Block{}, fmt.Errorf("the type %.64q is unknown; use text, image, audio, video or document", kind)
	}
	if p.Source == nil {
		return abi.Block{}, fmt.Errorf("a part of the type %s needs the member source", p.Type)
	}
	return p.Source.block(kind)
}

// binary reads a part as clients before 1.0 send it.
func (p *part) binary() (abi.Block, error) {
	from, kind := source{MimeType: p.MimeType}, abi.BlockFile
	for _, known := range []string{abi.BlockImage, abi.BlockAudio, abi.BlockVideo} {
		if p.MimeType != nil && strings.HasPrefix(*p.MimeType, known+"/") {
			kind = known
		}
	}
	switch {
	case p.Data != nil:
		from.Type, from.Value = "data", *p.Data
	case p.URL != nil:
		from.Type, from.Value = "url", *p.URL
	case p.ID != nil:
		from.Type, from.Value = "file", *p.ID
	default:
		return abi.Block{}, errors.New("a part of the type binary needs data, url or id")
	}
	return from.block(kind)
}

func (s *source) block(kind string) (abi.Block, error) {
	fields := wire.Map{{Key: "type", Value: wire.String(kind)}}
	if s.MimeType != nil && *s.MimeType != "" {
		fields.Set("mime_type", wire.String(*s.MimeType))
	}
	switch s.Type {
	case "data":
		if _, err := base64.StdEncoding.DecodeString(s.Value); err != nil {
			return abi.Block{}, fmt.Errorf("its data is not in base64: %w", err)
		}
		fields.Set("base64", wire.String(s.Value))
	case "url":
		fields.Set("url", wire.String(s.Value))
	case "file":
		fields.Set("file_id", wire.String(s.Value))
	default:
		return abi.Block{}, fmt.Errorf("the type %.64q of its source is unknown; use data, url or file", s.Type)
	}
	return abi.BlockOf(fields), nil
}

// shown returns content for clients: a text, or a list of parts if it has more than texts.
func shown(c abi.Content) any {
	var parts []part
	media := false
	for _, block := range c.Blocks() {
		switch {
		case block.Type() == abi.BlockText:
			parts = append(parts, part{Type: "text", Text: new(block.Text())})
		case block.IsMedia():
			if p, ok := partOf(block); ok {
				parts, media = append(parts, p), true
			}
		}
	}
	if !media {
		return c.Text()
	}
	return parts
}

// partOf returns a block that holds something other than a text.
func partOf(block abi.Block) (part, bool) {
	from := &source{}
	if mime := block.String("mime_type"); mime != "" {
		from.MimeType = &mime
	}
	switch data := block.Data(); {
	case data != nil:
		from.Type, from.Value = "data", base64.StdEncoding.EncodeToString(data)
		if from.MimeType == nil {
			from.MimeType = new("application/octet-stream") // the protocol requires one
		}
	case block.String("url") != "":
		from.Type, from.Value = "url", block.String("url")
	case block.String("file_id") != "":
		from.Type, from.Value = "file", block.String("file_id")
	default:
		return part{}, false
	}
	kind := block.Type()
	if kind == abi.BlockFile {
		kind = documentPart
	}
	return part{Type: kind, Source: from}, true
}
