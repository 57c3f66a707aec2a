package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// OpenAI's own address, and its host; those of its regions stand before it, such as eu.api.openai.com.
const (
	ownBaseURL = "https://api.openai.com/v1/"
	ownHost    = "api.openai.com"
)

// object is a JSON object of a request.
type object = map[string]any

// connect makes the client.
func (m *Model) connect() error {
	m.once.Do(func() { m.failed = m.open() })
	return m.failed
}

func (m *Model) open() error {
	base, err := url.Parse(cmp.Or(m.BaseURL, ownBaseURL))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return m.refused(fmt.Errorf("the base URL must be such as %q", ownBaseURL))
	}
	if m.API != "" && m.API != ChatCompletions && m.API != Responses {
		return m.refused(fmt.Errorf("there is no API %q, but %q and %q", m.API, ChatCompletions, Responses))
	}
	host := strings.ToLower(base.Hostname())
	m.own = host == ownHost || strings.HasSuffix(host, "."+ownHost)
	client := provider.Client(m.provider(), m.HTTPClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	options := []option.RequestOption{
		option.WithBaseURL(base.String()), option.WithMaxRetries(0), option.WithHTTPClient(client),
	}
	for key, values := range base.Query() {
		for _, value := range values {
			options = append(options, option.WithQueryAdd(key, value))
		}
	}
	variable := cmp.Or(m.APIKeyEnv, APIKeyVariable)
	key := strings.TrimSpace(cmp.Or(m.APIKey, os.Getenv(variable)))
	if key != "" {
		options = append(options, option.WithHeader("Authorization", "Bearer "+key))
	}
	known := key != ""
	for name, value := range m.Headers {
		options = append(options, option.WithHeader(name, value))
		known = known || strings.EqualFold(name, "Authorization")
	}
	if m.own && !known {
		return provider.NoKey(m.provider(), variable)
	}
	m.client = openai.Client{Options: options} // not NewClient, which takes more from the environment
	return nil
}

// refused is the error of a request that cannot be sent.
func (m *Model) refused(err error) *model.Error {
	return &model.Error{Provider: m.provider(), Kind: model.ErrorInvalidRequest, Err: err}
}

// send sends a request, and returns the response, whose body the caller closes.
func (m *Model) send(ctx context.Context, path string, body object) (*http.Response, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // as the SDK does
	if err := encoder.Encode(body); err != nil {
		return nil, m.refused(fmt.Errorf("the request has no JSON form: %w", err))
	}
	var resp *http.Response
	if err := m.client.Post(ctx, path, text.Bytes(), &resp); err != nil {
		return nil, provider.Failed(ctx, m.provider(), err)
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	_ = resp.Body.Close() // nobody wants it
	return nil, &model.Error{
		Provider: m.provider(), Kind: model.ErrorResponse, Status: resp.StatusCode,
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

// ask sends a request, and reads the response.
func (m *Model) ask(ctx context.Context, path string, body object) (text []byte, err error) {
	resp, err := m.send(ctx, path, body)
	if err != nil {
		return nil, err
	}
	text, err = io.ReadAll(resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	return provider.Valid(text), provider.Failed(ctx, m.provider(), err)
}

// unreadable is the error of a response that is none, such as a page of a proxy.
func (m *Model) unreadable(text []byte, why string) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return provider.Broken(m.provider(), "the response is empty")
	}
	return provider.Broken(m.provider(), fmt.Sprintf("the response %s: %s", why, text[:min(len(text), 500)]))
}
