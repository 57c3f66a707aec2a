package openai

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// ownBaseURL is OpenAI's address.
const ownBaseURL = "https://api.openai.com/v1/"

// object is a JSON object of a request.
type object = map[string]any

// connect determines where requests go.
func (m *Model) connect() error {
	m.once.Do(func() { m.failed = m.open() })
	return m.failed
}

func (m *Model) open() (err error) {
	if err := m.checkAPI(); err != nil {
		return err
	}
	m.endpoint, err = m.preset().service().Connect(m.options())
	return err
}

// preset returns the preset of the service, and OpenAI's own for a service without one.
func (m *Model) preset() *Preset {
	if preset := findPreset(m.provider()); preset != nil {
		return preset
	}
	return &presets[0]
}

// official reports whether requests go to OpenAI itself. A server with its API is not that strict, nor that new.
func (m *Model) official() bool { return m.preset().Name == Provider && m.endpoint.Own() }

func (m *Model) options() *provider.Options {
	return &provider.Options{
		Name: m.provider(), API: Provider, Model: m.Name, Platform: m.Platform, BaseURL: m.BaseURL, APIKey: m.APIKey, APIKeyEnv: m.APIKeyEnv,
		LookupEnv: m.LookupEnv, InFile: m.InFile,
		Header: http.Header{"Accept": {"application/json"}}, Headers: m.Headers, HTTPClient: m.HTTPClient, Network: m.Network, Limits: m.Limits,
	}
}

// Account says which key is sent where.
func (m *Model) Account() (model.Account, error) { return m.preset().service().Account(m.options()) }

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
