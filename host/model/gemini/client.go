package gemini

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// These are Google's own address and the version of the API.
const (
	ownBaseURL = "https://generativelanguage.googleapis.com"
	apiVersion = "v1beta"
)

var service = provider.Service{BaseURL: ownBaseURL, Variables: APIKeyVariables(), KeyHeader: "X-Goog-Api-Key"}

// connect determines where requests go.
func (m *Model) connect() error {
	m.once.Do(func() { m.failed = m.open() })
	return m.failed
}

func (m *Model) open() (err error) {
	m.path = m.Name
	if !strings.HasPrefix(m.path, "models/") && !strings.HasPrefix(m.path, "tunedModels/") {
		m.path = "models/" + m.path
	}
	if err := m.checkName(); err != nil {
		return err
	}
	if m.endpoint, err = service.Connect(m.options()); err != nil {
		return err
	}
	if m.Platform == nil && !m.endpoint.Ends(apiVersion) {
		m.path = apiVersion + "/" + m.path
	}
	return nil
}

func (m *Model) options() *provider.Options {
	return &provider.Options{
		Name: m.provider(), API: Provider, Model: m.Name, Platform: m.Platform,
		BaseURL: m.BaseURL, APIKey: m.APIKey, APIKeyEnv: m.APIKeyEnv, LookupEnv: m.LookupEnv,
		Headers: m.Headers, HTTPClient: m.HTTPClient, Network: m.Network, Limits: m.Limits,
	}
}

// Account says which key is sent where.
func (m *Model) Account() (model.Account, error) { return service.Account(m.options()) }

// exchange sends one request and reads its response.
func (m *Model) exchange(ctx context.Context, body map[string]any, a *answer) (err error) {
	if err := m.connect(); err != nil {
		return err
	}
	call := provider.Call{Path: m.path + ":generateContent", Header: patience(ctx), Body: body}
	if a.say == nil {
		text, err := m.endpoint.Ask(ctx, call)
		if err != nil {
			return err
		}
		d, err := readDocument(text)
		if err != nil {
			return err
		}
		return a.add(d)
	}
	call.Path, call.Query, call.Stream = m.path+":streamGenerateContent", "alt=sse", true
	resp, err := m.endpoint.Send(ctx, call)
	if err != nil {
		return err
	}
	defer func() {
		if closing := resp.Body.Close(); err == nil {
			err = closing
		}
	}()
	return a.readStream(resp.Body)
}

// patience tells the server how long the client will wait, as Google's own SDK does.
func patience(ctx context.Context) http.Header {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	seconds := math.Ceil(time.Until(deadline).Seconds()) //nolint:forbidigo // contexts use the machine's clock
	return http.Header{"X-Server-Timeout": {strconv.Itoa(max(1, int(seconds)))}}
}

// refused returns the error for a request that cannot be sent.
func refused(format string, args ...any) *model.Error {
	return provider.Unsendable(Provider, fmt.Errorf(format, args...))
}
