package oidc

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/internal/httptransport"
)

const (
	requestTimeout = 10 * time.Second
	maxAnswer      = 1 << 20 // bytes of a document of the provider
	maxRedirects   = 3
)

// newClient returns the client for requests to the provider, or a copy of the given one that reads no endless answer.
func newClient(given *http.Client) *http.Client {
	if given == nil {
		given = &http.Client{Transport: httptransport.New()}
	}
	client := *given
	if client.Timeout == 0 {
		client.Timeout = requestTimeout
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = boundedTransport{client.Transport}
	if client.CheckRedirect == nil {
		client.CheckRedirect = checkRedirect
	}
	return &client
}

// checkRedirect follows few redirects, and none to where an answer could be changed on its way.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("the provider redirects too often")
	}
	return checkURL("address to which the provider redirects", next.URL.String())
}

// boundedTransport cuts long answers.
type boundedTransport struct{ http.RoundTripper }

// errTooLong means that an answer of the provider exceeds 1 MiB.
var errTooLong = errors.New("the provider's answer has more than 1 MiB")

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, maxAnswer}
	}
	return response, err
}

// CloseIdleConnections passes the call on.
func (t boundedTransport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type boundedBody struct {
	io.ReadCloser

	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
