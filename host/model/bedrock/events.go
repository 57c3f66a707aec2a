//go:build !no_cloud

package bedrock

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// contentType is the type of AWS's streams: https://smithy.io/2.0/aws/amazon-eventstream.html.
const contentType = "application/vnd.amazon.eventstream"

const (
	minMessage = 16       // the length of a message without headers and payload, in bytes
	maxMessage = 17 << 20 // AWS allows 16 MiB of payload and 128 KiB of headers
)

// events converts a stream of AWS, in which each message holds an event of Anthropic's API, to server-sent events.
func events(header http.Header, body io.ReadCloser) io.ReadCloser {
	if kind, _, err := mime.ParseMediaType(header.Get("Content-Type")); err != nil || kind != contentType {
		return body
	}
	return &stream{body: body, in: bufio.NewReader(body), decoder: eventstream.NewDecoder()}
}

// stream reads messages as server-sent events.
type stream struct {
	body    io.Closer
	in      *bufio.Reader
	decoder *eventstream.Decoder
	payload []byte // of the message before, to be used again
	out     bytes.Buffer
	err     error
}

func (s *stream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		if s.err == nil {
			s.err = s.next()
		}
		if s.err != nil && s.out.Len() == 0 {
			return 0, s.err
		}
	}
	return s.out.Read(p)
}

func (s *stream) Close() error { return s.body.Close() }

// next converts a message.
func (s *stream) next() error {
	head, err := s.in.Peek(8)
	switch {
	case err != nil && len(head) == 0:
		return err
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	length, headers := binary.BigEndian.Uint32(head), binary.BigEndian.Uint32(head[4:])
	switch {
	case length > maxMessage:
		return &provider.TooLargeError{What: "a message of the stream", Limit: maxMessage}
	case length < minMessage || headers > length-minMessage:
		return errors.New("a message of the stream has impossible lengths")
	}
	m, err := s.decoder.Decode(s.in, s.payload[:0])
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return fmt.Errorf("a message of the stream cannot be read: %w", err)
	}
	s.payload = m.Payload
	s.out.Reset()
	return s.write(&m)
}

// write writes the event of a message.
func (s *stream) write(m *eventstream.Message) error {
	switch kind := headerOf(m, eventstreamapi.MessageTypeHeader); kind {
	case eventstreamapi.EventMessageType:
		if headerOf(m, eventstreamapi.EventTypeHeader) != "chunk" {
			return nil // AWS may add other events
		}
		var chunk struct {
			Bytes []byte `json:"bytes"`
		}
		if err := json.Unmarshal(m.Payload, &chunk); err != nil {
			return fmt.Errorf("an event of the stream cannot be read: %w", err)
		}
		return s.event(chunk.Bytes)
	case eventstreamapi.ExceptionMessageType:
		return s.failure(headerOf(m, eventstreamapi.ExceptionTypeHeader), messageOf(m.Payload))
	case eventstreamapi.ErrorMessageType:
		return s.failure(headerOf(m, eventstreamapi.ErrorCodeHeader), headerOf(m, eventstreamapi.ErrorMessageHeader))
	default:
		return nil
	}
}

// eventName is the form of the names of Anthropic's events.
var eventName = lazyregexp.New(`^[a-z_]{1,64}$`)

// event writes an event of Anthropic's API.
func (s *stream) event(data []byte) error {
	var named struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(data, &named)
	var line bytes.Buffer
	if err == nil {
		err = json.Compact(&line, data) // an event is one line
	}
	if err != nil {
		return fmt.Errorf("an event of the stream cannot be read: %w", err)
	}
	if eventName().MatchString(named.Type) {
		s.out.WriteString("event: " + named.Type + "\n")
	}
	s.out.WriteString("data: ")
	s.out.Write(line.Bytes())
	s.out.WriteString("\n\n")
	return nil
}

// failures translates AWS's exceptions in a stream into the types of Anthropic's errors.
var failures = map[string]string{
	"throttlingException": "rate_limit_error", "modelStreamErrorException": "api_error", "internalServerException": "api_error",
	"serviceUnavailableException": "overloaded_error", "modelTimeoutException": "timeout_error", "validationException": "invalid_request_error",
}

// failure writes an error event.
func (s *stream) failure(code, message string) error {
	kind, ok := failures[code]
	if !ok {
		kind = "api_error"
	}
	data, err := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": code + ": " + message}})
	if err != nil {
		return err
	}
	return s.event(data)
}

// headerOf returns a header of a message; "" if there is none.
func headerOf(m *eventstream.Message, name string) string {
	value, ok := m.Headers.Get(name).(eventstream.StringValue)
	if !ok {
		return ""
	}
	return string(value)
}

// messageOf returns the message of an exception.
func messageOf(payload []byte) string {
	var said struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(payload, &said); err != nil || said.Message == "" {
		return string(payload[:min(len(payload), 1000)])
	}
	return said.Message
}
