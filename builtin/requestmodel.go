package builtin

import (
	"strings"

	"github.com/agenthost/agenthost/host"
)

// providerKey returns the form in which the names of providers are compared.
func providerKey(provider string) string {
	return strings.ReplaceAll(strings.ToLower(provider), "-", "_")
}

// insideModelChoice orders a middleware behind those that choose the model of a request.
func insideModelChoice(reason string) []host.Order {
	return []host.Order{
		{Inside: modelFallbackEntry.Name, Reason: reason},
		{Inside: modelRouterEntry.Name, Reason: reason},
	}
}
