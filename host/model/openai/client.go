package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// These are OpenAI's address and host. Regional hosts are subdomains, such as eu.api.openai.com.
const (
	ownBaseURL = "https://api.openai.com/v1/"
	ownHost    = "api.openai.com"
)

// object is a JSON object of a request.
type object = map[string]any

// connect determines where requests go.
func (m *Model) connect() error {
	m.once.Do(func() { m.failed = m.open() })
	return m.failed
}

func (m *Model) open() error {
	base, err := provider.Address(m.provider(), cmp.Or(m.BaseURL, ownBaseURL), ownBaseURL)
	if err != nil {
		return err
	}
	if m.API != "" && m.API != ChatCompletions && m.API != Responses {
		return m.refused(fmt.Errorf("the API %q does not exist; use %q or %q", m.API, ChatCompletions, Responses))
	}
	host := strings.ToLower(base.Hostname())
	m.own = host == ownHost || strings.HasSuffix(host, "."+ownHost)
	variable := cmp.Or(m.APIKeyEnv, APIKeyVariable)
	key := strings.TrimSpace(cmp.Or(m.APIKey, os.Getenv(variable)))
	header := http.Header{"Accept": {"application/json"}}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	known := key != ""
	for name := range m.Headers {
		known = known || strings.EqualFold(name, "Authorization")
	}
	if m.own && !known {
		return provider.NoKey(m.provider(), variable)
	}
	m.endpoint = provider.NewEndpoint(m.provider(), base, m.HTTPClient, header, m.Headers)
	return nil
}

// refused returns the error for a request that cannot be sent.
func (m *Model) refused(err error) *model.Error { return provider.Unsendable(m.provider(), err) }

// unreadable returns the error for an unintelligible response, such as a page from a proxy.
func (m *Model) unreadable(text []byte, why string) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return provider.Broken(m.provider(), "the response is empty")
	}
	return provider.Broken(m.provider(), fmt.Sprintf("the response %s: %s", why, text[:min(len(text), 500)]))
}
