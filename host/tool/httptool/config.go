package httptool

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/schema"
)

// Config describes a tool that makes an HTTP request. Name and URL are required. In URL, Query, Headers and Body, {name} is
// the place of an argument, and {{ and }} are literal braces.
type Config struct {
	Name        string // up to 64 letters, digits, _ and -
	Description string
	Method      string // HTTP method, in capitals; "": GET

	// URL begins with https:// or http://. The arguments in its path and host must be required ones.
	URL string
	// Query is added to the query of the URL. A value whose argument is not given is left out. If the whole value is one argument
	// and that is a list, each item becomes a pair.
	Query map[string]string
	// Headers are sent only to the URL's scheme, host and port. A header whose argument is not given is left out.
	Headers map[string]string
	// Body is any value with a JSON form, and is sent as JSON; nil: no body. A string that consists of one "{name}" becomes the
	// argument, with its type; a member or item whose argument is not given is left out.
	Body any

	// Parameters is the JSON Schema of the arguments; absent: each place in the request is a required string.
	Parameters wire.Raw

	Result      string        // a JSON pointer (RFC 6901) to the part of the response that the model sees; "": the whole body
	MaxResult   int           // text of the result that the model sees, in bytes; 0: 64 KiB
	MaxResponse int           // size of a response body, also decompressed, in bytes; 0: 4 MiB
	Timeout     time.Duration // time limit of the request and its redirects, at most an hour; 0: 30 s

	Idempotent   *bool // whether it is safe to run the tool again after a crash; nil: GET and HEAD only
	ReturnDirect bool  // the result ends the run

	Extras wire.Map // keys for the definition that the provider gets, such as defer_loading: see [abi.ToolSpec]

	// Allow lists the hosts to which redirects may lead in addition to the URL's own scheme, host and port: "api.example.com" or
	// "*.example.com", optionally followed by ":8443" or preceded by "http://". If the URL's host has an argument, Allow lists
	// its possible values, and the headers are sent there.
	Allow []string
	// Private lists networks that names may resolve to, in addition to the public ones. Addresses written literally in URL or
	// Allow, and localhost, need no entry.
	Private []netip.Prefix
	// Secrets are hidden from results and errors. Credentials in Headers are hidden anyway: the headers Authorization and Cookie,
	// and those with key, token or secret in their names.
	Secrets []string
}

const (
	defaultMaxResult   = 64 << 10
	defaultMaxResponse = 4 << 20
	maxMaxResponse     = 1 << 30
	defaultTimeout     = 30 * time.Second
	maxTimeout         = time.Hour
	maxRedirects       = 5
)

func (c Config) withDefaults() Config {
	if c.Method == "" {
		c.Method = http.MethodGet
	}
	if c.MaxResult == 0 {
		c.MaxResult = defaultMaxResult
	}
	if c.MaxResponse == 0 {
		c.MaxResponse = defaultMaxResponse
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Idempotent == nil {
		c.Idempotent = new(isRead(c.Method))
	}
	return c
}

// isRead reports whether a request only reads.
func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// Tool is a tool that makes an HTTP request. It must be closed.
type Tool struct {
	config  Config // with its defaults
	spec    abi.ToolSpec
	schema  *schema.Schema
	target  *target
	headers []header
	body    *body    // nil: none
	result  []string // the steps of the pointer; nil: none
	secrets *mask.Mask
	client  *client
}

// New makes the tool. The error is a [*ConfigError].
func New(c Config) (*Tool, error) {
	t := &Tool{config: c.withDefaults(), secrets: secretsOf(&c)}
	for _, step := range []struct {
		key   string
		check func() error
	}{
		{"name", t.checkName},
		{"method", t.checkMethod},
		{"max_result", func() error { return within(t.config.MaxResult, 1, maxMaxResponse, " bytes") }},
		{"max_response", func() error { return within(t.config.MaxResponse, 1, maxMaxResponse, " bytes") }},
		{"timeout", func() error { return within(t.config.Timeout, time.Millisecond, maxTimeout, "") }},
		{"url", func() (err error) { t.target, err = parseTarget(c.URL); return err }},
		{"query", func() error { return t.target.addQuery(c.Query) }},
		{"headers", t.parseHeaders},
		{"body", t.parseBody},
		{"parameters", t.bindParameters},
		{"result", func() (err error) { t.result, err = parsePointer(c.Result); return err }},
	} {
		if err := step.check(); err != nil {
			return nil, &ConfigError{c.Name, step.key, err}
		}
	}
	if key, err := t.connect(); err != nil {
		return nil, &ConfigError{c.Name, key, err}
	}
	return t, nil
}

// Spec describes the tool.
func (t *Tool) Spec() abi.ToolSpec { return t.spec }

// Close closes idle connections. Calls in progress end by themselves.
func (t *Tool) Close() error { return t.client.close() }

func (t *Tool) checkName() error {
	if !isName(t.config.Name) {
		return errors.New("the name must have 1 to 64 letters, digits, _ and -, so that models can call the tool")
	}
	return nil
}

func (t *Tool) checkMethod() error {
	if t.config.Body != nil && isRead(t.config.Method) {
		return fmt.Errorf("a %s request has no body; set another method, such as POST", t.config.Method)
	}
	return nil
}

func within[T int | time.Duration](v, least, most T, unit string) error {
	if v < least || v > most {
		return fmt.Errorf("the value is %v; it must be between %v and %v%s", v, least, most, unit)
	}
	return nil
}

func (t *Tool) parseBody() (err error) {
	if t.config.Body != nil {
		t.body, err = parseBody(t.config.Body)
	}
	return err
}

// places returns the names of the arguments in the request, each once, in order of appearance.
func (t *Tool) places() []string {
	names := t.target.needed()
	for _, p := range t.target.query {
		names = append(names, p.value.names()...)
	}
	for _, h := range t.headers {
		names = append(names, h.value.names()...)
	}
	if t.body != nil {
		names = append(names, t.body.names()...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// header is one header of the request.
type header struct {
	name  string // in lower case
	value template
}

func (t *Tool) parseHeaders() error {
	for _, name := range slices.Sorted(maps.Keys(t.config.Headers)) {
		value, err := parseTemplate(t.config.Headers[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		h := header{strings.ToLower(name), value}
		if t.hasHeader(h.name) {
			return fmt.Errorf("%s: the header is given twice", name)
		}
		t.headers = append(t.headers, h)
	}
	return nil
}

func (t *Tool) hasHeader(name string) bool {
	return slices.ContainsFunc(t.headers, func(h header) bool { return h.name == name })
}
