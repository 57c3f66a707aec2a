package gemini

import (
	"bytes"
	"errors"
	"io"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// readStream reads a streamed response.
func (a *answer) readStream(body io.Reader) error {
	events := provider.NewEvents(body)
	for {
		event, err := events.Next() // an event cut off by the end is read if possible
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text := bytes.TrimSpace(event.Data)
		if len(text) == 0 || string(text) == "[DONE]" { // sent by servers that support several APIs
			continue
		}
		if event.Kind == "error" {
			return provider.InStream(Provider, text)
		}
		d, err := readDocument(text)
		if err != nil {
			return err
		}
		if err := a.add(d); err != nil {
			return err
		}
	}
	loose := events.Loose()
	if a.finishReason != "" || len(loose) == 0 {
		return nil
	}
	d, err := readDocument(bytes.Trim(bytes.TrimSpace(loose), "[]")) // an error, or a response that is not a stream
	if err != nil || a.some {
		return err
	}
	return a.add(d)
}
