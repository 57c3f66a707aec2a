package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/modelserver"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
)

// detected is a provider that can be used right now.
type detected struct {
	provider string
	models   []string // that a server of one's own has; nil: nobody knows
	passed   []string // says of each server and account that the environment names why it is not suggested
}

// keyOrder lists the providers whose keys init looks for. If several are set, the first one counts.
var keyOrder = []string{
	"openai", "anthropic", "gemini", "openrouter", "mistralai", "groq", "deepseek", "xai", "together", "fireworks", "bedrock", "azure_openai",
}

// detect looks for a provider that works without further set-up: a server whose address the environment names, a provider whose key it
// holds, or a server of models on this machine. If there is none, it returns the scripted provider.
func detect(ctx context.Context) detected {
	found := detected{provider: scriptedProvider}
	all := manifest.Providers()
	for _, p := range all {
		if p.KeyOptional && p.BaseURLVariable != "" && isSet(p.BaseURLVariable) {
			models, err := modelsAt(ctx, p.Name)
			if err == nil && len(models) > 0 {
				found.provider, found.models = p.Name, models
				return found
			}
			found.passed = append(found.passed, passedOver(&p, err))
		}
	}
	for _, name := range keyOrder {
		i := slices.IndexFunc(all, func(p manifest.Provider) bool { return p.Name == name })
		if slices.ContainsFunc(all[i].KeyVariables, isSet) {
			found.provider = name
			return found
		}
	}
	for _, p := range all {
		if len(p.KeyVariables) == 0 && p.KeyOptional && (p.BaseURLVariable == "" || !isSet(p.BaseURLVariable)) {
			if models, err := modelsAt(ctx, p.Name); err == nil && len(models) > 0 {
				found.provider, found.models = p.Name, models
				return found
			}
		}
	}
	for _, c := range cloudAccounts {
		if isSet(c.variable) {
			found.passed = append(found.passed, c.variable+" is set, but its account may have no models; to use them, "+instead(c.provider))
		}
	}
	found.passed = append(found.passed, "the model is a script, because no provider's key or server was found; for a real model, "+instead("PROVIDER"))
	return found
}

// cloudAccounts are variables with credentials of a cloud. Few of these accounts are there for its models.
var cloudAccounts = []struct{ variable, provider string }{
	{"AWS_ACCESS_KEY_ID", "bedrock"}, {"AWS_PROFILE", "bedrock"}, {"GOOGLE_APPLICATION_CREDENTIALS", "google_vertexai"},
}

// instead says how to choose a provider. By then, init has written files.
func instead(provider string) string { return "add --force --provider " + provider }

// passedOver says why a server whose address the environment names is not suggested, and how to choose it.
func passedOver(p *manifest.Provider, err error) string {
	why := "the server there has no model that answers"
	if err != nil {
		why = text.Head(text.Clean(err.Error()), 300)
		if _, silent := errors.AsType[*modelserver.UnreachableError](err); !silent && len(p.KeyVariables) > 0 {
			why += aboutKey(p.KeyVariables)
		}
	}
	return p.BaseURLVariable + " is set, but " + why + "; to use the server all the same, " + instead(p.Name)
}

// aboutKey says what may be wrong with the key if a server does not list its models.
func aboutKey(variables []string) string {
	if i := slices.IndexFunc(variables, isSet); i >= 0 {
		return "; check the key in " + variables[i]
	}
	return "; if it needs a key, set " + variables[0]
}

func isSet(variable string) bool { return strings.TrimSpace(os.Getenv(variable)) != "" }

// modelsAt returns the models of a server that people run themselves.
func modelsAt(ctx context.Context, provider string) ([]string, error) {
	server, err := modelserver.Of(&openai.Model{Name: "any", Provider: provider}, nil)
	if err != nil {
		return nil, err
	}
	models, err := server.Models(ctx)
	return slices.DeleteFunc(models, func(name string) bool {
		return checkModel(name) != nil || strings.Contains(strings.ToLower(name), "embed") // it makes vectors, and answers nothing
	}), err
}
