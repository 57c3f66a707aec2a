// Package modelserver asks the servers of models that people run themselves which models they have.
package modelserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/model"
)

// Limits of a list, since the server may be anything that listens at the address.
const (
	maxTime   = 3 * time.Second
	maxBytes  = 4 << 20
	maxModels = 1000
	maxName   = 200 // bytes
)

// ollama is the provider whose own API lists models; the others have OpenAI's.
const ollama = "ollama"

// Server is a server of models.
type Server struct {
	Provider string // such as "ollama"
	Account  model.Account
	Key      string // sent to the server; "": none is
}

// Of returns the server of a model. It gets the key that the model's requests have, if that is in a variable; nil means os.LookupEnv.
func Of(m model.Accountant, lookup func(name string) (string, bool)) (Server, error) {
	account, err := m.Account()
	s := Server{Provider: m.Info().Provider, Account: account}
	if lookup == nil {
		lookup = os.LookupEnv
	}
	if err == nil && account.Key == model.CredentialVariable {
		key, _ := lookup(account.Variable)
		s.Key = strings.TrimSpace(key)
	}
	return s, err
}

// Local reports whether the server is on this machine.
func (s *Server) Local() bool {
	address, err := url.Parse(s.Account.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// UnreachableError means that nothing answers at the address.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return "no server answers: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError means that the server answers with a status other than 200.
type RefusedError struct {
	Path   string
	Status int
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the server answers %s with HTTP %d", e.Path, e.Status)
}

// ForKey reports whether the server may refuse the request because of its key, or because it has none. A LiteLLM proxy without a database
// answers 400 to a wrong key, and 500 to a request without a key.
func (e *RefusedError) ForKey() bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError}, e.Status)
}

// Models returns the names of the models that the server has, in its order. It waits for at most three seconds. The error is an
// [*UnreachableError] if nothing answers, and a [*RefusedError] if the server lists no models.
func (s *Server) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	address := s.Account.BaseURL + "/models"
	if s.Provider == ollama {
		address = strings.TrimSuffix(s.Account.BaseURL, "/v1") + "/api/tags"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "agenthost")
	if s.Key != "" {
		req.Header.Set("Authorization", "Bearer "+s.Key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err // the address is known
		}
		return nil, &UnreachableError{err}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	switch {
	case err != nil:
		return nil, &UnreachableError{err}
	case resp.StatusCode != http.StatusOK:
		return nil, &RefusedError{req.URL.Path, resp.StatusCode}
	case len(body) > maxBytes:
		return nil, fmt.Errorf("the list of the server's models is longer than %d MiB", maxBytes>>20)
	}
	return read(body)
}

// read reads a list of Ollama ({models: [{name}]}) or of OpenAI's API ({data: [{id}]}).
func read(body []byte) ([]string, error) {
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, errors.New("the server does not answer with a list of models")
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	kept := names[:0]
	for _, name := range names[:min(len(names), maxModels)] {
		if name != "" && len(name) <= maxName {
			kept = append(kept, name)
		}
	}
	return kept, nil
}

// Has reports whether a list has a model. Ollama's names have the tag "latest" if they have none.
func (s *Server) Has(models []string, name string) bool {
	for _, m := range models {
		if m == name || s.Provider == ollama && !strings.Contains(name, ":") && m == name+":latest" {
			return true
		}
	}
	return false
}
