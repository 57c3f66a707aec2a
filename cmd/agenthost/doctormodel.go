package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/vertex"
)

// model checks whether a model has the key that it needs, and says where the key is sent.
func (d *doctor) model(ctx context.Context, subject string, m model.Model) {
	name := modelName(m.Info())
	accountant, ok := model.As[model.Accountant](m)
	if !ok {
		d.okf(subject, "%s, which needs no provider", name)
		return
	}
	account, err := accountant.Account()
	if account.BaseURLVariable != "" {
		account.Host += " (the address in " + account.BaseURLVariable + ", " + placeOf(&account) + ")"
	}
	switch {
	case err != nil:
		d.failed(subject, name+": "+err.Error(), "correct the model in the manifest")
		return
	case account.Key == model.CredentialHeader:
		d.okf(subject, "%s; the key in its headers is sent to %s", name, account.Host)
	case account.Key == model.CredentialWithheld && account.BaseURLInFile:
		d.note(subject, fmt.Sprintf("%s; %s is not sent to %s, because a file of the project may not redirect a key", name, account.Variable, account.Host),
			"set "+account.BaseURLVariable+" in the environment; or, if this server needs the key, set base_url and api_key_env in the manifest")
	case account.Key == model.CredentialWithheld:
		d.note(subject, fmt.Sprintf("%s; %s is not sent to %s, because base_url is not the provider's own address", name, account.Variable, account.Host),
			"correct base_url; or, if this server needs the key, add api_key_env: "+account.Variable+" to the model")
	case account.Key == model.CredentialPlatform && account.Variable == "" && !d.online:
		d.okf(subject, "%s; requests to %s need credentials from %s, which --online tries", name, account.Host, account.Source)
	case account.Key == model.CredentialPlatform:
		d.okf(subject, "%s; credentials from %s authorize requests to %s", name, account.Source, account.Host)
	case account.Key != model.CredentialNone:
		d.okf(subject, "%s; %s is sent to %s", name, account.Variable, account.Host)
	case !account.Own && onCloud(m):
		d.note(subject, fmt.Sprintf("%s; %s gets no credentials, because it is not a host of the cloud", name, account.Host),
			"correct base_url; or, if this server needs the credentials of the cloud, add trust_base_url: true to the model")
	case account.Variable == "":
		d.okf(subject, "%s at %s, which needs no key", name, account.Host)
	case !account.Own:
		d.note(subject, fmt.Sprintf("%s; there is no key for %s, which may not need one", name, account.Host),
			"if the server needs a key, "+setKey(&account))
	default:
		d.failed(subject, name+"; there is no key", setKey(&account))
		return
	}
	if ctx.Err() == nil && d.modelServer(ctx, subject, accountant) && d.online {
		d.ask(ctx, subject, m, &account)
	}
}

// setKey says how to give a model a key.
func setKey(account *model.Account) string {
	switch {
	case account.Misspelt != "":
		return "rename " + account.Misspelt + ", which is set, to " + account.Variable
	case account.Own:
		return "set " + account.Variable + " in the environment or in the file that env_file names in the manifest"
	case account.Named:
		return "set " + account.Variable + ", which api_key_env names, in the environment or in env_file"
	case account.BaseURLVariable != "" && !account.BaseURLInFile:
		return "set " + account.Variable + " in the environment or in env_file"
	default:
		return "name the variable that holds it with api_key_env, and set it in the environment or in env_file"
	}
}

// placeOf says where the variable with the address is set.
func placeOf(account *model.Account) string {
	if account.BaseURLInFile {
		return "set in env_file"
	}
	return "set in the environment"
}

// onCloud reports whether a model is one of a cloud.
func onCloud(m model.Model) bool {
	return slices.Contains([]string{bedrock.Provider, vertex.Provider, vertex.AnthropicProvider, azure.Provider}, m.Info().Provider)
}
