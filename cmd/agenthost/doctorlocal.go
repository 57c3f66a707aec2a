package main

import (
	"context"
	"errors"
	"strings"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/modelserver"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// modelServer checks whether a server that people run themselves runs and has the model, and reports whether the model can be asked. Servers of
// others are not asked, nor are those on other machines unless doctor is online.
func (d *doctor) modelServer(ctx context.Context, subject string, m model.Accountant) bool {
	name := m.Info().Name
	own, _ := openai.PresetNamed(m.Info().Provider)
	if own.Start == "" {
		return true
	}
	server, err := modelserver.Of(m, d.lookup)
	if err != nil || !d.online && !server.Local() {
		return true
	}
	subject += ", server"
	command := func(text string) string { return strings.ReplaceAll(text, "MODEL", name) }
	models, err := server.Models(ctx)
	unreachable, isUnreachable := errors.AsType[*modelserver.UnreachableError](err)
	switch {
	case isUnreachable:
		d.failed(subject, "no server answers at "+server.Account.Host+": "+unreachable.Err.Error(), "start it with: "+command(own.Start))
		return false
	case err != nil:
		d.note(subject, server.Account.Host+": "+err.Error(), keyFor(&server.Account, err))
	case !server.Has(models, name) && own.Load != "":
		d.failed(subject, server.Account.Host+" does not have the model "+name, "load it with: "+command(own.Load)+"\n"+listed(models))
		return false
	case !server.Has(models, name):
		d.failed(subject, server.Account.Host+" does not have the model "+name, listed(models))
		return false
	default:
		d.okf(subject, "%s has the model", server.Account.Host)
	}
	return true
}

// keyFor says what to do about the key of a server that lists no models; "" if the reason is another.
func keyFor(account *model.Account, err error) string {
	refused, ok := errors.AsType[*modelserver.RefusedError](err)
	switch {
	case !ok || !refused.ForKey() || account.Variable == "":
		return ""
	case account.Key == model.CredentialVariable:
		return "check that " + account.Variable + " holds a valid key for " + account.Host
	default:
		return "if the server needs a key, " + setKey(account)
	}
}

// listed names the first models of a server.
func listed(models []string) string {
	const most = 5
	switch {
	case len(models) == 0:
		return "it has no model at all"
	case len(models) > most:
		return "it has " + strings.Join(models[:most], ", ") + ", …"
	default:
		return "it has " + strings.Join(models, ", ")
	}
}
