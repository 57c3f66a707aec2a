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

// account is how a model is paid for.
type account struct {
	key       bool   // there is one
	variable  string // where it is looked for
	address   string // of the server
	elsewhere bool   // it is not the provider's own
}

// accountOf tells the account of a model that the manifest names; false if it needs none.
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

// place is the server without what an address may hide in it.
func (a *account) place() string { return cmp.Or(a.host(), "its server") }

// askTime is how long a model may take to answer.
const askTime = 30 * time.Second

// ask asks a model something.
func (d *doctor) ask(ctx context.Context, subject string, m model.Model) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	start := time.Now()
	resp, err := m.Generate(ctx, &model.Request{Model: m, Messages: history.Of(abi.Human("Answer with the word ok."))})
	took := time.Since(start).Round(time.Millisecond)
	switch {
	case err != nil:
		d.failed(subject+", asked", err.Error(), "docs/models.md says what its kinds of errors mean")
	case resp == nil || resp.AI() == nil:
		d.failed(subject+", asked", "it gave no answer", "")
	default:
		d.okf(subject+", asked", "it has answered in %v", took)
	}
}
