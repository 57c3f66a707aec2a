// Package detail writes errors as LangGraph's server does, {"detail": "text"}, or in the form of another protocol.
package detail

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/auth"
)

// Error is an error with the answer that a client gets. Everything in it may be shown to the client.
type Error struct {
	Status     int           // 400 to 599
	Text       string        // says what is wrong, and what to do
	RetryAfter time.Duration // when the client may try again; 0: it is not told
	Cause      error         // for the log only; nil: none
}

// Errorf returns an error with a status and a text.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Text: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Text + ": " + e.Cause.Error()
	}
	return e.Text
}

func (e *Error) Unwrap() error { return e.Cause }

// Of returns the answer to an error: the [Error] in it, or that of an error of package auth. What a client is told of any other error is that
// it is one of the server.
func Of(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	status, words := auth.Answer(err)
	answer := &Error{Status: status, Text: words, Cause: err}
	if status == http.StatusServiceUnavailable {
		answer.RetryAfter = time.Second
	}
	return answer
}

// Write answers a request with an error, if nothing of an answer has been sent yet.
func Write(w http.ResponseWriter, err error) {
	e := Of(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	switch {
	case e.Status != http.StatusUnauthorized:
		h.Del(challengeHeader)
	case h.Get(challengeHeader) == "":
		h.Set(challengeHeader, "Bearer")
	}
	RetryAfter(h, e.RetryAfter)
	body, _ := json.Marshal(formOf(w)(e)) //nolint:errchkjson // its parts are texts
	w.WriteHeader(e.Status)
	_, _ = w.Write(body)
}

// challengeHeader says how to log in.
const challengeHeader = "WWW-Authenticate"

// Challenge sets what a client is told about the login if [Write] then answers 401; "": only that it needs a token.
func Challenge(w http.ResponseWriter, text string) {
	if text != "" {
		w.Header().Set(challengeHeader, text)
	}
}

// RetryAfter tells a client when it may try again; 0: it is not told.
func RetryAfter(h http.Header, after time.Duration) {
	if after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
}

// maxText is the length of the longest text that a client gets, in characters.
const maxText = 4000

// Text returns as much of a text as a client gets: it may quote what the client sent.
func Text(s string) string { return text.First(s, maxText) }
