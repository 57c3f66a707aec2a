package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/httptransport"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Limits of requests.
const (
	maxBody     = 1 << 20          // bytes of a response
	maxToken    = 64 << 10         // bytes of a token
	requestTime = 30 * time.Second // of one request
)

// statusError reports a response with another status than 200.
type statusError struct {
	status int
	code   string // the error code of OAuth, if there is one
	text   string
}

func (e *statusError) Error() string {
	if e.code == "" {
		return fmt.Sprintf("it answers %d %s", e.status, http.StatusText(e.status))
	}
	if e.text == "" {
		return fmt.Sprintf("it answers %q", e.code)
	}
	return fmt.Sprintf("it answers %q: %s", e.code, e.text)
}

// newHTTP makes the client for requests. It follows redirects only of GETs and only within an origin: other requests carry secrets.
func newHTTP(base http.RoundTripper) *http.Client {
	if base == nil {
		clone := httptransport.New()
		clone.MaxResponseHeaderBytes = 64 << 10
		clone.DisableKeepAlives = true // a login makes few requests
		base = clone
	}
	return &http.Client{Transport: base, Timeout: requestTime, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if req.Method != http.MethodGet || via[0].Method != http.MethodGet || !sameOrigin(req.URL, via[0].URL) || len(via) > 3 {
			return errors.New("it redirects to another place")
		}
		return nil
	}}
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// secure parses a URL to which requests about the server may go: HTTPS or, if the server is on this machine, anything there.
func secure(text string, server *url.URL) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%q is not a valid URL", terminal.Line(cut(text)))
	case isLoopback(u) && !isLoopback(server):
		return nil, fmt.Errorf("%q is on this machine, but the server is not", terminal.Line(cut(text)))
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u)):
		return nil, fmt.Errorf("%q does not begin with https://", terminal.Line(cut(text)))
	}
	return u, nil
}

func isLoopback(u *url.URL) bool {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}

// cut shortens a text of a stranger for an error.
func cut(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// getJSON reads a JSON document.
func getJSON(ctx context.Context, client *http.Client, address *url.URL, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	return perform(client, req, into)
}

// postForm sends a form and reads a JSON document.
func postForm(ctx context.Context, client *http.Client, address string, form url.Values, auth func(*http.Request), into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if auth != nil {
		auth(req)
	}
	return perform(client, req, into)
}

// perform sends a request and decodes the answer to it, unless into is nil.
func perform(client *http.Client, req *http.Request, into any) error {
	response, err := client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return err
	case len(body) > maxBody:
		return fmt.Errorf("it answers with more than %d bytes", maxBody)
	case response.StatusCode < 200 || response.StatusCode > 299:
		return failure(response.StatusCode, body)
	case into == nil:
		return nil
	}
	if media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return errors.New("it does not answer with JSON")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return errors.New("it answers with JSON that does not fit") // the text may hold a token
	}
	return nil
}

// failure reads the error of a response: RFC 6749, section 5.2.
func failure(status int, body []byte) error {
	var said struct {
		Code string `json:"error"`
		Text string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &said) // it need not be JSON
	return &statusError{status, terminal.Line(cut(said.Code)), terminal.Line(cut(said.Text))}
}

// withoutURL removes the URL from an error, because its query may hold a secret.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			return fmt.Errorf("it has not answered within %v", requestTime)
		}
		return wrapped.Err
	}
	return err
}
