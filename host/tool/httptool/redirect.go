package httptool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch" //nolint:depguard // as in client.go
)

// redirectError reports a redirect that is not followed.
type redirectError struct{ problem string }

func (e *redirectError) Error() string { return "the server redirects " + e.problem }

// exchange makes a request and follows its redirects.
func (t *Tool) exchange(ctx context.Context, r *abi.FetchRequest) (*abi.FetchResponse, error) {
	for redirects := 0; ; redirects++ {
		response, err := t.do(ctx, r)
		if denied, ok := errors.AsType[*fetch.Error](err); ok && denied.Kind == fetch.KindDenied && !denied.Sent && redirects > 0 {
			return nil, &redirectError{"to a place that is not allowed: " + denied.Text}
		}
		if err != nil {
			return nil, err
		}
		to := location(response)
		switch {
		case to == "":
			return response, nil
		case redirects == maxRedirects:
			return nil, &redirectError{fmt.Sprintf("more than %d times", maxRedirects)}
		}
		if r, err = t.redirected(r, response.Status, to); err != nil {
			return nil, err
		}
	}
}

// location returns where a response redirects to; "" if it does not.
func location(response *abi.FetchResponse) string {
	switch response.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return response.Header("location")
	default:
		return ""
	}
}

// redirected makes the request that follows a redirect, as a browser would: 301, 302 and 303 fetch another document, 307 and
// 308 repeat the request elsewhere. The operator's headers go only to the scheme, host and port they were given for.
func (t *Tool) redirected(r *abi.FetchRequest, status uint64, location string) (*abi.FetchRequest, error) {
	from, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	to, err := from.Parse(location)
	if err != nil || to.Host == "" || to.User != nil {
		return nil, &redirectError{"to something that is not a URL, or has a user in it"} // the location may contain a secret
	}
	to.Fragment, to.RawFragment = "", ""
	next := &abi.FetchRequest{Method: r.Method, URL: to.String(), Headers: r.Headers, Body: r.Body}
	repeat := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !repeat {
		next.Body = nil
		if !isRead(r.Method) {
			next.Method = http.MethodGet
		}
		next.Headers = slices.DeleteFunc(slices.Clone(next.Headers), func(h abi.Header) bool { return strings.HasPrefix(h.Name, "content-") })
	}
	if !sameOrigin(from, to) {
		next.Headers = withoutOwn(next.Headers)
		if t.secrets.In(string(next.Body)) {
			return nil, &redirectError{"to another host, and the body of the request has a secret in it"}
		}
	}
	return next, nil
}

// sameOrigin compares scheme, host and port. Two spellings of one origin may count as different, which only drops headers.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "http":
		return "80"
	default:
		return "443"
	}
}

// forAll lists headers that do not identify the sender, and are sent to every host that a redirect leads to.
var forAll = []string{"accept", "accept-language", "content-type", "idempotency-key", "user-agent"}

// withoutOwn returns the headers that may be sent to a host other than the one the operator gave them for.
func withoutOwn(headers []abi.Header) []abi.Header {
	return slices.DeleteFunc(slices.Clone(headers), func(h abi.Header) bool { return !slices.Contains(forAll, h.Name) })
}
