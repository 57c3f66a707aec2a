package main

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

// account describes how a model authenticates.
type account struct {
	key       bool   // whether there is a key
	variable  string // the environment variable for the key
	address   string // of the server
	elsewhere bool   // whether the server is not the provider's own
}

// accountOf returns the account of a model, or false if the model needs none.
func accountOf(m model.Model) (account, bool) {
	var a account
	var headers map[string]string
	var key, own string
	switch m := m.(type) {
	case *openai.Model:
		key, headers, a.address, a.variable, own = m.APIKey, m.Headers, m.BaseURL, cmp.Or(m.APIKeyEnv, openai.APIKeyVariable), "openai.com"
	case *anthropic.Model:
		key, headers, a.address, a.variable, own = m.APIKey, m.Headers, m.BaseURL, cmp.Or(m.APIKeyEnv, anthropic.APIKeyVariable), "anthropic.com"
	case *gemini.Model:
		key, headers, a.address, a.variable, own = m.APIKey, m.Headers, m.BaseURL, cmp.Or(m.APIKeyEnv, gemini.APIKeyVariable), "googleapis.com"
	default:
		return a, false
	}
	a.key = strings.TrimSpace(cmp.Or(key, os.Getenv(a.variable))) != ""
	for name := range headers {
		a.key = a.key || strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "x-api-key") || strings.EqualFold(name, "x-goog-api-key")
	}
	host := a.host()
	a.elsewhere = host != "" && host != own && !strings.HasSuffix(host, "."+own)
	return a, true
}

func (a *account) host() string {
	if u, err := url.Parse(a.address); err == nil {
		return strings.ToLower(u.Hostname())
	}
	return ""
}

// place names the server without the rest of its address, which may hold secrets.
func (a *account) place() string { return cmp.Or(a.host(), "its server") }

// askTime is the time limit for the answer of a model.
const askTime = 30 * time.Second

// ask sends a model a short request.
func (d *doctor) ask(ctx context.Context, subject string, m model.Model) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	start := time.Now()
	resp, err := m.Generate(ctx, &model.Request{Model: m, Messages: history.Of(abi.Human("Answer with the word ok."))})
	took := time.Since(start).Round(time.Millisecond)
	switch {
	case err != nil:
		d.failed(subject+", asked", err.Error(), "docs/models.md explains the kinds of errors")
	case resp == nil || resp.AI() == nil:
		d.failed(subject+", asked", "the model returned no answer", "")
	default:
		d.okf(subject+", asked", "the model answered in %v", took)
	}
}
