package httptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

const (
	maxFailure = 4 << 10 // bytes of a failed request's body that the model sees
	maxImage   = 5 << 20 // bytes of an image, as providers accept
)

// output converts a response to a result.
func (t *Tool) output(r *abi.FetchResponse) *host.ToolOutput {
	body, err := decompressed(r.Body, r.Header("content-encoding"), t.config.MaxResponse)
	if err != nil {
		return t.failure(status(r) + ": " + err.Error())
	}
	kind, media := kindOf(r.Header("content-type"), body)
	if r.Status >= http.StatusMultipleChoices {
		text := "Error: " + status(r)
		if media == textMedia && len(body) > 0 {
			text += "\n" + t.text(body, min(t.config.MaxResult, maxFailure))
		}
		out := host.TextOutput(text)
		out.Failed = true
		return out
	}
	switch {
	case len(body) == 0:
		return host.TextOutput(status(r))
	case t.result != nil:
		return t.part(body)
	case media == textMedia:
		return host.TextOutput(t.text(body, t.config.MaxResult))
	case media == imageMedia && len(body) <= maxImage:
		return &host.ToolOutput{Content: abi.Blocks(abi.ImageBlock(kind, body))}
	default:
		return host.TextOutput(fmt.Sprintf("%s: the response is of the type %s and has %d bytes, which cannot be shown",
			status(r), terminal.Line(t.secrets.Text(kind)), len(body)))
	}
}

// part returns the result that the pointer leads to: a string as it is, anything else as JSON.
func (t *Tool) part(body []byte) *host.ToolOutput {
	value, err := lookUp(withoutMark(body), t.result)
	if err != nil {
		return t.failure(err.Error())
	}
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return host.TextOutput(t.text([]byte(text), t.config.MaxResult))
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, value) // it is valid
	return host.TextOutput(t.text(compact.Bytes(), t.config.MaxResult))
}

// text returns the part of a body that the model sees: without secrets, at most the given number of bytes.
func (t *Tool) text(body []byte, most int) string {
	whole := t.secrets.Text(strings.ToValidUTF8(string(withoutMark(body)), "\uFFFD"))
	head := text.Head(whole, most)
	if len(head) == len(whole) {
		return whole
	}
	return fmt.Sprintf("%s\n[the result is cut here: %d more bytes]", head, len(whole)-len(head))
}

// withoutMark removes the byte order mark.
func withoutMark(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\uFEFF")) }

// status describes the status in standard words, not the server's.
func status(r *abi.FetchResponse) string {
	return strings.TrimRight(fmt.Sprintf("HTTP %d %s", r.Status, http.StatusText(int(r.Status))), " ")
}

type media uint8

const (
	otherMedia media = iota
	textMedia
	imageMedia
)

// kindOf classifies a body. An image must match its declared type: a provider that finds something else would fail the run.
func kindOf(header string, body []byte) (string, media) {
	kind, _, err := mime.ParseMediaType(header)
	switch {
	case header == "" || err != nil:
		if utf8.Valid(body) && !bytes.ContainsRune(body, 0) {
			return "text/plain", textMedia
		}
		return "unknown", otherMedia
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"), slices.Contains(textTypes, kind):
		return kind, textMedia
	case model.AcceptsImage(kind) && http.DetectContentType(body) == kind:
		return kind, imageMedia
	default:
		return kind, otherMedia
	}
}

// textTypes lists text types other than text/* and names with a telling suffix.
var textTypes = []string{
	"application/ecmascript", "application/graphql", "application/javascript", "application/json", "application/jsonl",
	"application/ndjson", "application/sql", "application/toml", "application/x-ndjson", "application/x-www-form-urlencoded",
	"application/x-yaml", "application/xml", "application/yaml",
}
