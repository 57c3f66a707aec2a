package oidc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/server/auth"
)

// claims are what a token says.
type claims map[string]json.RawMessage

// find returns a claim: one of this very name, or a value within objects, with dots between the names.
func (c claims) find(path string) (json.RawMessage, bool) {
	if raw, ok := c[path]; ok {
		return raw, true
	}
	name, rest, nested := strings.Cut(path, ".")
	raw, ok := c[name]
	if !ok || !nested {
		return nil, false
	}
	var inner claims
	if json.Unmarshal(raw, &inner) != nil {
		return nil, false
	}
	return inner.find(rest)
}

// owner returns the owner that a claim names. An address of e-mail counts only if the provider has verified it: with some providers people
// type in any they like.
func (c claims) owner(claim string) (string, error) {
	raw, ok := c.find(claim)
	if !ok {
		return "", fmt.Errorf("the token has no claim %s", claim)
	}
	var owner *string
	if err := json.Unmarshal(raw, &owner); err != nil || owner == nil {
		return "", fmt.Errorf("the claim %s is not a text", claim)
	}
	if claim == "email" && string(c["email_verified"]) != "true" {
		return "", errors.New("the claim email is not verified")
	}
	if err := auth.CheckOwner(*owner); err != nil {
		return "", fmt.Errorf("the claim %s: %w", claim, err)
	}
	return *owner, nil
}

// scopes returns the scopes of ours that a claim names.
func (c claims) scopes(claim, prefix string) []auth.Scope {
	raw, ok := c.find(claim)
	if !ok {
		return nil
	}
	var names []string
	var joined string
	if json.Unmarshal(raw, &joined) == nil {
		names = strings.Fields(joined)
	} else if json.Unmarshal(raw, &names) != nil {
		return nil
	}
	var out []auth.Scope
	for _, name := range names {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			if scope, err := auth.ParseScope(name); err == nil {
				out = append(out, scope)
			}
		}
	}
	return out
}
