package gemini

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// These are Google's own address and host, and the version of the API.
const (
	ownBaseURL = "https://generativelanguage.googleapis.com"
	ownHost    = "generativelanguage.googleapis.com"
	apiVersion = "v1beta"
)

// connect determines where requests go.
func (m *Model) connect() error {
	m.once.Do(func() { m.failed = m.open() })
	return m.failed
}

func (m *Model) open() error {
	base, err := provider.Address(Provider, cmp.Or(m.BaseURL, ownBaseURL), ownBaseURL)
	if err != nil {
		return err
	}
	m.path = m.Name
	if !strings.HasPrefix(m.path, "models/") && !strings.HasPrefix(m.path, "tunedModels/") {
		m.path = "models/" + m.path
	}
	if m.Name == "" || strings.Contains(m.Name, "..") || strings.ContainsAny(m.Name, "?&") {
		return refused("%q is not a valid name of a model; use a name such as %q", m.Name, "gemini-3-flash")
	}
	if !strings.HasSuffix(base.Path, "/"+apiVersion+"/") {
		m.path = apiVersion + "/" + m.path
	}
	header := http.Header{}
	key := m.key()
	if key != "" {
		header.Set("X-Goog-Api-Key", key)
	}
	known := key != ""
	for name := range m.Headers {
		known = known || strings.EqualFold(name, "X-Goog-Api-Key") || strings.EqualFold(name, "Authorization")
	}
	if strings.EqualFold(base.Hostname(), ownHost) && !known {
		return provider.NoKey(Provider, cmp.Or(m.APIKeyEnv, APIKeyVariable))
	}
	m.endpoint = provider.NewEndpoint(Provider, base, m.HTTPClient, header, m.Headers)
	return nil
}

// key returns the API key; "" if there is none.
func (m *Model) key() string {
	variables := APIKeyVariables()
	if m.APIKeyEnv != "" {
		variables = []string{m.APIKeyEnv}
	}
	key := strings.TrimSpace(m.APIKey)
	for _, variable := range variables {
		key = cmp.Or(key, strings.TrimSpace(os.Getenv(variable)))
	}
	return key
}

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
	call.Path, call.Query = m.path+":streamGenerateContent", "alt=sse"
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
