package manifest

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// keyEnv is the key that names the variable with a key.
const keyEnv = "api_key_env"

// usualVariable matches the usual names of variables, such as OPENAI_API_KEY. No provider has keys of this form.
var usualVariable = lazyregexp.New(`^[A-Z]+(_[A-Z0-9]+)+$`)

// secretKeys are the keys of a manifest whose values may be secrets, wherever they are, with everything below them. Errors do not show
// these values.
var secretKeys = []string{
	keyEnv,    // of a model: it takes a name, but a key is written there by mistake
	"env",     // of an MCP server and of a shell
	"headers", // of a model, an HTTP tool and an MCP server
	"secrets", // that a plugin may send: see shownKeys
}

// shownKeys are keys below one of the secretKeys whose values are shown.
var shownKeys = []string{"hosts"}

// isSecret reports whether a value at a path of keys may be a secret; "" stands for any value. Besides the secretKeys, it knows keys by their name: api_key in
// a place where no key belongs, a token in the configuration of a plugin, or a key in the query of an HTTP tool.
func isSecret(path []string, value string) bool {
	if len(path) > 0 && path[len(path)-1] == keyEnv && usualVariable().MatchString(value) {
		path = path[:len(path)-1]
	}
	for i, key := range path {
		if slices.Contains(secretKeys, key) {
			return !slices.ContainsFunc(path[i+1:], func(below string) bool { return slices.Contains(shownKeys, below) })
		}
		if looksSecret(key) {
			return true
		}
	}
	return false
}

// HidesIn reports whether an assignment for [Options].Set has, or may have, a secret: then nothing may print it.
func HidesIn(assignment string) bool { return strictyaml.HidesIn(assignment, isSecret) }

// looksSecret reports whether a key is named like a secret. max_tokens is not.
func looksSecret(key string) bool {
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
	return slices.ContainsFunc([]string{
		"key", "token", "secret", "password", "passwd", "passphrase", "credential", "credentials", "authorization", "auth", "cookie",
		"bearer", "appid",
	}, func(word string) bool { return strings.HasSuffix(name, word) })
}
