package httptool

import (
	"fmt"
	"strings"
)

// ConfigError reports an invalid configuration of a tool. It shows no header values.
type ConfigError struct {
	Tool string // name of the tool
	Key  string // key in the manifest: "url", "headers", …
	Err  error
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("http tool %q: %s: %v", e.Tool, e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// argumentError reports an argument that does not fit its place. It is written for the model and does not quote the value.
type argumentError struct{ name, problem string }

func (e *argumentError) Error() string { return fmt.Sprintf("the argument %q %s", e.name, e.problem) }

// withoutPrefix returns the text of a client error without the client's own prefix.
func withoutPrefix(err error) string { return strings.TrimPrefix(err.Error(), "http.fetch: ") }
