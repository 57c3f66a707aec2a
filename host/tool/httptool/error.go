package httptool

import (
	"fmt"
	"strings"
)

// ConfigError is a configuration that no tool can be made of. It shows no value of a header.
type ConfigError struct {
	Tool string // its name
	Key  string // of the manifest: "url", "headers", …
	Err  error
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("http tool %q: %s: %v", e.Tool, e.Key, e.Err)
}

// Unwrap returns what is wrong.
func (e *ConfigError) Unwrap() error { return e.Err }

// argumentError is an argument that cannot stand where it should. It is written for the model, and does not quote it.
type argumentError struct{ name, problem string }

func (e *argumentError) Error() string { return fmt.Sprintf("the argument %q %s", e.name, e.problem) }

// withoutPrefix is the text of an error of the client, which names itself in it.
func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "http.fetch: ") }
