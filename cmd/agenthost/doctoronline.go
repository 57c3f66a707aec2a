package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// askTime is the time limit for the answer of a model.
const askTime = 30 * time.Second

// ask sends a model a short request.
func (d *doctor) ask(ctx context.Context, subject string, m model.Model, account *model.Account) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	start := time.Now()
	resp, err := m.Generate(ctx, &model.Request{Model: m, Messages: history.Of(abi.Human("Answer with the word ok."))})
	took := time.Since(start).Round(time.Millisecond)
	switch {
	case err != nil:
		d.failed(subject+", asked", withCause(err), remedyOf(err, m.Info().Name, account))
	case resp == nil || resp.AI() == nil:
		d.failed(subject+", asked", "the model returned no answer", "")
	default:
		d.okf(subject+", asked", "the model answered in %v", took)
	}
}

// maxCause is the maximum length in bytes of the cause of an error.
const maxCause = 300

// withCause returns the text of an error. For a connection that failed, it adds the words of the network, which an administrator can search
// for. Other causes stay out: a server may have written them.
func withCause(err error) string {
	said := err.Error()
	var operation *net.OpError
	var lookup *net.DNSError
	var record tls.RecordHeaderError
	cause := ""
	switch {
	case errors.As(err, &operation):
		cause = operation.Error()
	case errors.As(err, &lookup):
		cause = lookup.Error()
	case errors.As(err, &record):
		cause = record.Error()
	}
	if cause = text.Head(text.Clean(cause), maxCause); cause == "" || strings.Contains(said, cause) {
		return said
	}
	return said + " [cause: " + cause + "]"
}

// remedyOf says what to do about a failed request; "" if the error says so itself.
func remedyOf(err error, name string, account *model.Account) string {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok {
		return ""
	}
	switch failed.Kind {
	case model.ErrorAuthentication:
		return remedyOfRefusal(account)
	case model.ErrorPermission:
		return "let " + keyOf(account) + " use the model " + name + " at the provider, or choose another model"
	case model.ErrorNotFound:
		return "check the name of the model, " + name + ", and the address " + account.BaseURL
	case model.ErrorQuota:
		return "the account of " + keyOf(account) + " has no credit left: add some at the provider"
	case model.ErrorRateLimit, model.ErrorOverloaded:
		return "nothing is wrong with the manifest: the provider takes no more requests at the moment; run doctor again later"
	case model.ErrorServer:
		return "the server has a problem of its own: read its log, or run doctor again later"
	case model.ErrorInvalidRequest, model.ErrorContextLength, model.ErrorContentFilter:
		return "the server refuses the request itself: check the settings of the model " + name
	case model.ErrorTimeout:
		return "doctor waits " + askTime.String() + ": a server that loads a model first may need longer, so run doctor again"
	case model.ErrorResponse:
		return "check that " + account.Host + " has the API of the model's provider, and that base_url has the right path, such as /v1"
	case model.ErrorCutOff:
		return "raise the limit of output tokens of the model " + name
	default: // the errors of connections and certificates end with the way out
		return ""
	}
}

// remedyOfRefusal says what to do if a server refuses the key of a request, or its absence.
func remedyOfRefusal(account *model.Account) string {
	switch {
	case account.Key != model.CredentialNone && account.Key != model.CredentialWithheld:
		return "correct " + keyOf(account) + ", which the server does not accept"
	case account.Variable == "":
		return "the server needs a key: name the variable that holds it with api_key_env, and set it in the environment or in env_file"
	default:
		return "" // the error says why none was sent
	}
}

// keyOf describes the credential of a model's requests.
func keyOf(account *model.Account) string {
	switch account.Key {
	case model.CredentialVariable:
		return account.Variable
	case model.CredentialHeader:
		return "the key in the model's headers"
	case model.CredentialPlatform:
		return account.Source
	default:
		return "the key"
	}
}
