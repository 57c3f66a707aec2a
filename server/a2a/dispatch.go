package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/log"

	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// The versions of the protocol.
const (
	present  = "1.0"
	previous = "0.3"
)

// answerRPC answers a call of JSON-RPC.
func (h *Handler) answerRPC(c *door.Call) error {
	own, err := h.call(c)
	if err != nil {
		return err
	}
	body, err := jsonbody.Read(c.R)
	if err != nil {
		return err
	}
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := checkJSON(c.R, body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return problemf(a2a.ErrInvalidRequest, "the body must be one object of JSON-RPC 2.0, with a method; batches are not supported")
	}
	if own.id = envelope.ID; own.id == nil {
		own.id = json.RawMessage("null")
	}
	version, err := versionOf(c.R)
	transport := h.rpc
	switch {
	case version == previous || version == "" && strings.Contains(envelope.Method, "/"): // names of methods had a slash then
		if transport = h.olderRPC; transport == nil && err == nil {
			err = problemf(a2a.ErrVersionNotSupported, "this server speaks version %s of A2A only; use a client of that version", present)
		}
	default:
		body = camel(body)
	}
	if err == nil {
		switch envelope.Method {
		case "SendMessage", "SendStreamingMessage", "SubscribeToTask", "message/send", "message/stream", "tasks/resubscribe":
			err = h.answerSlow(own, transport, c.R.URL.Path, body)
		default:
			err = h.pass(own, transport, c.R.URL.Path, body)
		}
	}
	if err != nil {
		p := explain(c.R.Context(), err)
		note(c, p)
		p.writeRPC(c.W, own.id)
	}
	return nil
}

// answerREST answers a request of the binding HTTP+JSON.
func (h *Handler) answerREST(c *door.Call) error {
	own, err := h.call(c)
	if err != nil {
		return err
	}
	version, err := versionOf(c.R)
	if err != nil {
		return err
	}
	if version == previous {
		return problemf(a2a.ErrVersionNotSupported, "the binding HTTP+JSON is that of version %s alone; call version %s by JSON-RPC", present, previous)
	}
	path := strings.TrimPrefix(c.R.URL.Path, Path+own.agent.Name)
	var body []byte
	if c.R.Method == http.MethodPost {
		if body, err = jsonbody.Read(c.R); err != nil {
			return err
		}
		if len(bytes.TrimSpace(body)) > 0 {
			if err := checkJSON(c.R, body); err != nil {
				return err
			}
		}
	}
	body = camel(body)
	if strings.HasSuffix(path, "/message:send") || strings.HasSuffix(path, "/message:stream") || strings.HasSuffix(path, ":subscribe") {
		return h.answerSlow(own, h.rest, path, body)
	}
	return h.pass(own, h.rest, path, body)
}

// versionOf returns the version that a request asks for; "" if it does not say.
func versionOf(r *http.Request) (string, error) {
	text := strings.TrimSpace(r.Header.Get(a2a.SvcParamVersion))
	if text == "" {
		text = r.URL.Query().Get(a2a.SvcParamVersion)
	}
	parts := strings.SplitN(text, ".", 3)
	switch version := strings.Join(parts[:min(2, len(parts))], "."); version {
	case "", present, previous:
		return version, nil
	default:
		return "", problemf(a2a.ErrVersionNotSupported, "the version %.20q of A2A is not supported; use %s", text, present)
	}
}

// checkJSON refuses a body that a decoder must not get.
func checkJSON(r *http.Request, body []byte) error {
	var document json.RawMessage
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch err := json.Unmarshal(body, &document); {
	case err != nil && media != "" && !strings.HasSuffix(media, "json"):
		return problemf(a2a.ErrUnsupportedContentType, "the body is %.64q; send JSON as application/json", media)
	case err != nil:
		return problemf(a2a.ErrParseError, "the body is not valid JSON: %v", err)
	case !utf8.Valid(body):
		return problemf(a2a.ErrParseError, "the body is not UTF-8")
	case jsonbody.TooDeep(body):
		return problemf(a2a.ErrParseError, "the body has more than %d arrays and objects within each other", jsonbody.MaxDepth)
	default:
		return nil
	}
}

// answerSlow passes on a request whose answer may take long, which uses one of its owner's streams meanwhile.
func (h *Handler) answerSlow(c *call, transport http.Handler, path string, body []byte) error {
	release, err := h.Streams.Acquire(c.Owner)
	if err != nil {
		return err
	}
	defer release()
	return h.pass(c, transport, path, body)
}

// pass lets a transport of the library answer a request. If it returns an error, nothing has been sent.
func (h *Handler) pass(c *call, transport http.Handler, path string, body []byte) error {
	ctx, stop := context.WithCancel(context.WithValue(c.R.Context(), callKey{}, c))
	forget := context.AfterFunc(h.Closing, stop) // a stream closes, and its client comes back to another server
	defer forget()
	r := c.R.Clone(log.AttachLogger(ctx, discard))
	r.URL.Path, r.URL.RawPath = path, ""
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	w := newWriter(c)
	defer c.end()
	defer stop()
	transport.ServeHTTP(w, r)
	return w.finish()
}
