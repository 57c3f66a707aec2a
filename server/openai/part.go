package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// part is a part of a content, in the form of chat completions or of responses.
type part struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	Refusal    string          `json:"refusal"`
	ImageURL   json.RawMessage `json:"image_url"` // an object in chat completions, a text in responses
	InputAudio *struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File *filePart `json:"file"` // of chat completions
	filePart
}

// filePart is a file: its own members in responses, those of the member file in chat completions.
type filePart struct {
	FileData string `json:"file_data"`
	FileID   string `json:"file_id"`
	FileURL  string `json:"file_url"`
	FileName string `json:"filename"`
}

// contentOf reads a content: a text, a list of parts, or null. param names it in errors.
func contentOf(raw json.RawMessage, param string) (abi.Content, error) {
	if !given(raw) {
		return abi.Content{}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return abi.Text(text), nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return abi.Content{}, invalid(param, "%s must be a text or a list of parts: %v", param, err)
	}
	blocks := make([]abi.Block, 0, len(parts))
	for i := range parts {
		block, err := parts[i].block(param)
		if err != nil {
			return abi.Content{}, err
		}
		blocks = append(blocks, block)
	}
	return abi.Blocks(blocks...), nil
}

// block returns a part as the agent gets it.
func (p *part) block(param string) (abi.Block, error) {
	switch p.Type {
	case "text", "input_text", "output_text":
		return abi.TextBlock(p.Text), nil
	case "refusal":
		return abi.RefusalBlock(p.Refusal, ""), nil
	case "image_url", "input_image":
		return p.image(param)
	case "input_audio":
		if p.InputAudio == nil {
			return abi.Block{}, invalid(param, "a part of the type input_audio in %s needs the member input_audio", param)
		}
		return media(abi.BlockAudio, "audio/"+p.InputAudio.Format, p.InputAudio.Data, "", param)
	case "file":
		if p.File == nil {
			return abi.Block{}, invalid(param, "a part of the type file in %s needs the member file", param)
		}
		return p.File.block(param)
	case "input_file":
		return p.filePart.block(param)
	default:
		return abi.Block{}, invalid(param, "a part in %s has the type %.64q; use text, image_url, input_audio or file in chat completions, "+
			"and input_text, input_image, input_audio or input_file in responses", param, p.Type)
	}
}

func (p *part) image(param string) (abi.Block, error) {
	if p.FileID != "" {
		return abi.Block{}, noFileID(param)
	}
	var address string
	if json.Unmarshal(p.ImageURL, &address) != nil {
		var object struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(p.ImageURL, &object); err != nil {
			return abi.Block{}, invalid(param, "the image_url of a part in %s must be an address, or an object with an url", param)
		}
		address = object.URL
	}
	if strings.HasPrefix(address, "data:") {
		return readData(abi.BlockImage, address, "", param)
	}
	if !isWeb(address) {
		return abi.Block{}, invalid(param, "the address of an image in %s must begin with https:, http: or data:", param)
	}
	return abi.ImageURLBlock(address), nil
}

func isWeb(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

func (f *filePart) block(param string) (abi.Block, error) {
	switch {
	case f.FileID != "":
		return abi.Block{}, noFileID(param)
	case f.FileURL != "" && isWeb(f.FileURL):
		fields := wire.Map{{Key: "type", Value: wire.String(abi.BlockFile)}, {Key: "url", Value: wire.String(f.FileURL)}}
		if f.FileName != "" {
			fields.Set("name", wire.String(f.FileName))
		}
		return abi.BlockOf(fields), nil
	case f.FileData == "":
		return abi.Block{}, invalid(param, "a file in %s needs file_data, a data: address in base64", param)
	}
	return readData(abi.BlockFile, f.FileData, f.FileName, param)
}

func noFileID(param string) error {
	return invalid(param, "%s names a file by its id, and this server keeps no files; send its content as file_data or image_url", param)
}

// readData reads the content of a data: address.
func readData(kind, address, name, param string) (abi.Block, error) {
	head, data, found := strings.Cut(address, ",")
	mime, encoded := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	mime, _, _ = strings.Cut(mime, ";") // the rest are parameters
	if !found || !encoded || mime == "" || !strings.HasPrefix(head, "data:") {
		return abi.Block{}, invalid(param, "a file or image in %s must have the form data:TYPE;base64,CONTENT", param)
	}
	return media(kind, mime, data, name, param)
}

// media returns a block with content in base64, which stays as it is: a run keeps its input as JSON.
func media(kind, mime, data, name, param string) (abi.Block, error) {
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || data == "" {
		return abi.Block{}, invalid(param, "a file, image or audio in %s is empty or not base64", param)
	}
	fields := wire.Map{
		{Key: "base64", Value: wire.String(data)}, {Key: "mime_type", Value: wire.String(mime)}, {Key: "type", Value: wire.String(kind)},
	}
	if name != "" {
		fields.Set("name", wire.String(name))
	}
	return abi.BlockOf(fields), nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
