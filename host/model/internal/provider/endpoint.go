package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// Endpoint is where a provider takes requests. It sends each once: trying again is for a middleware, which sees every try.
// It follows no redirection: the key would go along.
type Endpoint struct {
	provider string
	base     *url.URL // its path ends with a slash
	header   http.Header
	client   *http.Client
}

// Address reads the address of a provider, to which paths are added; one like it is told to whoever gives another text. A query
// stays behind all paths.
func Address(name, text, like string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, Unsendable(name, fmt.Errorf("the base URL must be such as %q", like)) // without the text, in which there may be a key
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
		if base.RawPath != "" {
			base.RawPath += "/"
		}
	}
	return base, nil
}

// NewEndpoint returns the endpoint of a provider. The header is the caller's own, with the key; that which an operator has set wins
// over it. client is that of [Client].
func NewEndpoint(name string, base *url.URL, client *http.Client, header http.Header, set map[string]string) *Endpoint {
	all := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"agenthost"}}
	maps.Copy(all, header)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		all.Set(key, set[key])
	}
	limited := Client(name, client)
	limited.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Endpoint{name, base, all, limited}
}

// Call is a request to an endpoint.
type Call struct {
	Path   string // below the address, as it is before escaping
	Query  string // as it is sent, before that of the address; "": none
	Header http.Header
	Body   map[string]any // sent as JSON
}

// Send sends a request, and returns the response, whose body the caller closes. Its errors are a [*model.Error], or the cause of
// the cancellation.
func (e *Endpoint) Send(ctx context.Context, c Call) (*http.Response, error) {
	text, err := encode(c.Body)
	if err != nil {
		return nil, Unsendable(e.provider, err)
	}
	address := e.base.ResolveReference(&url.URL{Path: c.Path})
	address.RawQuery = strings.Trim(c.Query+"&"+e.base.RawQuery, "&")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(text))
	if err != nil {
		return nil, Unsendable(e.provider, errors.New("the address is none; correct the base URL or the name of the model"))
	}
	req.Header = e.header.Clone()
	maps.Copy(req.Header, c.Header)
	resp, err := e.client.Do(req)
	if err == nil && ctx.Err() != nil {
		_ = resp.Body.Close() // it has come too late
		err = ctx.Err()
	}
	if err != nil {
		return nil, Failed(ctx, e.provider, err)
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	_ = resp.Body.Close() // nobody wants it
	return nil, &model.Error{
		Provider: e.provider, Kind: model.ErrorResponse, Status: resp.StatusCode,
		Err: errors.New("it redirects" + target(resp) + ", which is not followed, so that the key stays here; correct the base URL"),
	}
}

// target is where a response redirects, without what may be secret of it.
func target(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" to %.100q", to.Scheme+"://"+to.Host)
}

// Ask sends a request, and returns the text of the response, without bytes that are no UTF-8.
func (e *Endpoint) Ask(ctx context.Context, c Call) ([]byte, error) {
	resp, err := e.Send(ctx, c)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, Failed(ctx, e.provider, err)
	}
	return Valid(text), nil
}

// encode returns the body of a request as JSON. Its characters stand as they are: pages do not embed it.
func encode(body map[string]any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	if err == nil {
		return text.Bytes(), nil
	}
	for _, key := range slices.Sorted(maps.Keys(body)) {
		if _, err := json.Marshal(body[key]); err != nil { // such as a setting that is no number
			return nil, fmt.Errorf("the field %q has no JSON form: %w", key, err)
		}
	}
	return nil, fmt.Errorf("the request has no JSON form: %w", err)
}

// Unsendable is the error of a request that cannot be sent.
func Unsendable(name string, err error) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorInvalidRequest, Err: err}
}
