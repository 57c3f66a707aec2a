package main

import (
	"context"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// model checks whether a model has the key that it needs, and says where the key is sent.
func (d *doctor) model(ctx context.Context, subject string, m model.Model) {
	name := modelName(m.Info())
	accountant, ok := m.(model.Accountant)
	if !ok {
		d.okf(subject, "%s, which needs no provider", name)
		return
	}
	account, err := accountant.Account()
	switch {
	case err != nil:
		d.failed(subject, name+": "+err.Error(), "correct the model in the manifest")
		return
	case account.Key == model.CredentialHeader:
		d.okf(subject, "%s; the key in its headers is sent to %s", name, account.Host)
	case account.Key == model.CredentialWithheld:
		d.note(subject, fmt.Sprintf("%s; %s is not sent to %s, which is not the provider's own server", name, account.Variable, account.Host),
			"if the server needs this key, add api_key_env: "+account.Variable+" to the model")
	case account.Key != model.CredentialNone:
		d.okf(subject, "%s; %s is sent to %s", name, account.Variable, account.Host)
	case !account.Own:
		d.note(subject, fmt.Sprintf("%s; there is no key for %s, which may not need one", name, account.Host),
			"if the server needs a key, put it into a variable, and name the variable with api_key_env")
	default:
		d.failed(subject, name+"; there is no key", "set "+account.Variable+" in the environment or in the file that env_file names in the manifest")
		return
	}
	if d.online && ctx.Err() == nil {
		d.ask(ctx, subject, m)
	}
}

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
