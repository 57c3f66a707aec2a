package gemini

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// mediaPart returns the part for an image, audio, a video or a file: its bytes or its address. It returns false if the block has neither.
func mediaPart(block abi.Block) (any, bool) {
	signature := block.String(KeySignature)
	if data := block.Data(); len(data) > 0 {
		return part{InlineData: &blob{MIMEType: provider.MimeType(block), Data: data}, ThoughtSignature: signature}, true
	}
	address := block.String("url")
	if address == "" {
		return nil, false
	}
	if blob := ofDataURL(address); blob != nil {
		return part{InlineData: blob, ThoughtSignature: signature}, true
	}
	kind := block.String("mime_type")
	if kind == "" {
		kind = kindOf(address)
	}
	return part{FileData: &fileData{FileURI: address, MIMEType: kind}, ThoughtSignature: signature}, true
}

// ofDataURL returns the content of a data URL in base64; nil for other URLs.
func ofDataURL(address string) *blob {
	rest, ok := strings.CutPrefix(address, "data:")
	if !ok {
		return nil
	}
	head, text, _ := strings.Cut(rest, ",")
	kind, ok := strings.CutSuffix(head, ";base64")
	data, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		return nil
	}
	return &blob{MIMEType: kind, Data: data}
}

// nestable lists the kinds of media that may be part of an answer to a call, since Gemini 3:
// https://ai.google.dev/gemini-api/docs/function-calling.
var nestable = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/webp": true, "application/pdf": true, "text/plain": true,
}

// kinds maps file extensions to types. The machine's own table would make requests differ between machines.
var kinds = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif", ".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown",
	".csv": "text/csv", ".html": "text/html", ".mp3": "audio/mp3", ".wav": "audio/wav", ".mp4": "video/mp4",
}

// kindOf guesses the type of a file from its address; "" if it cannot, which the API accepts.
func kindOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return kinds[strings.ToLower(path.Ext(parsed.Path))]
}
