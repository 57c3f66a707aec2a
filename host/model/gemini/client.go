package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"google.golang.org/genai"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

const (
	ownBaseURL = "https://generativelanguage.googleapis.com"
	apiVersion = "v1beta"
	keyHeader  = "X-Goog-Api-Key"
)

// connect makes the client.
func (m *Model) connect() error {
	m.once.Do(func() { m.client, m.failed = m.newClient() })
	return m.failed
}

func (m *Model) newClient() (*genai.Client, error) {
	base := strings.TrimSuffix(strings.TrimRight(m.BaseURL, "/"), "/"+apiVersion)
	if base == "" {
		base = ownBaseURL
	}
	address, err := url.Parse(base)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return nil, refused("the base URL must be such as %q", ownBaseURL)
	}
	key := m.key()
	if key == "" && base == ownBaseURL {
		return nil, provider.NoKey(Provider, cmp.Or(m.APIKeyEnv, APIKeyVariable))
	}
	client := provider.Client(Provider, m.HTTPClient)
	m.timeout, client.Timeout = client.Timeout, 0 // the SDK reads no responses, so its client cannot limit that
	client.Transport = &transport{base: client.Transport, headers: m.Headers, key: key != ""}
	if key == "" {
		key = "none" // the SDK wants one; the transport takes it out again
	}
	out, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      key,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  client,
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: apiVersion}, // without RetryOptions, which are its retries
	})
	if err != nil {
		return nil, refused("Google's SDK refuses to make a client") // its errors show the key
	}
	return out, nil
}

// key returns the API key; "" if there is none.
func (m *Model) key() string {
	variables := []string{APIKeyVariable, "GOOGLE_API_KEY"}
	if m.APIKeyEnv != "" {
		variables = []string{m.APIKeyEnv}
	}
	key := strings.TrimSpace(m.APIKey)
	for _, variable := range variables {
		key = cmp.Or(key, strings.TrimSpace(os.Getenv(variable)))
	}
	return key
}

// send sends a request and returns the response, whose body the caller closes. The SDK sees neither.
func (m *Model) send(ctx context.Context, body map[string]any, stream bool) (*http.Response, error) {
	taken := &handover{}
	ctx = context.WithValue(ctx, handoverKey{}, taken)
	config := &genai.GenerateContentConfig{
		AutomaticContinuation: new(false),
		HTTPOptions: &genai.HTTPOptions{
			ExtrasRequestProvider: func(map[string]any) map[string]any { return body },
		},
	}
	var err error
	if stream {
		for _, err = range m.client.Models.GenerateContentStream(ctx, m.Name, nil, config) {
			if err != nil {
				break
			}
		}
	} else {
		_, err = m.client.Models.GenerateContent(ctx, m.Name, nil, config)
	}
	switch {
	case taken.response != nil:
		return taken.response, nil
	case err != nil && !taken.begun: // nothing was sent: a name or a body that cannot be
		return nil, refused("%w", err)
	case err != nil:
		return nil, err
	default:
		return nil, provider.Broken(Provider, "there is no response")
	}
}

// refused is the error of a request that cannot be sent.
func refused(format string, args ...any) *model.Error {
	return &model.Error{Provider: Provider, Kind: model.ErrorInvalidRequest, Err: fmt.Errorf(format, args...)}
}

// handover is where the transport leaves the response to a request of the SDK.
type handover struct {
	begun    bool
	response *http.Response
}

type handoverKey struct{}

// transport takes responses before the SDK reads them, which gets empty ones.
type transport struct {
	base    http.RoundTripper
	headers map[string]string
	key     bool // there is one
}

// RoundTrip sends a request. It follows no redirection: the key would go along, since it has a header of its own.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	taken, ok := req.Context().Value(handoverKey{}).(*handover)
	if !ok {
		return nil, errors.New("the request is not of this package")
	}
	taken.begun = true
	req = req.Clone(req.Context())
	if !t.key {
		req.Header.Del(keyHeader)
	}
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, errors.Join(&model.Error{
			Provider: Provider, Kind: model.ErrorResponse, Status: resp.StatusCode,
			Err: errors.New("it redirects, which is not followed, so that the key stays here"),
		}, resp.Body.Close())
	}
	whole := *resp
	taken.response = &whole
	resp.Body, resp.ContentLength = http.NoBody, 0
	return resp, nil
}
