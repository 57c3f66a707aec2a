package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/headerfield"
)

// Config describes a server: a Command, a URL or a Transport is required.
type Config struct {
	// Name names the server in errors, logs and questions. "": the command's name, or the host of the URL.
	Name string

	// Command is a program with its arguments; it speaks the protocol on its standard input and output. It runs in the directory
	// Dir, in its own session, and ends with all processes that it has started. Its environment has PATH, HOME and the like, and Env.
	Command []string
	Dir     string
	Env     map[string]string
	// Secrets are further values that errors and logs do not show, besides those of Env, Headers and arguments of Command such as
	// --api-key VALUE. Values shorter than 6 bytes are shown.
	Secrets []string

	// URL is the address of a server that speaks the protocol over HTTP. Headers are sent only to its host.
	URL     string
	Headers map[string]string

	// Auth gives the access tokens for requests to the URL. nil: none. It does not apply if Headers has Authorization.
	Auth Authorizer

	// TransportName is one of the constants such as TransportSSE. "": stdio for a command, streamable HTTP for a URL.
	TransportName string

	// Transport makes a connection of another kind, a new one each time the server is connected. This package does not bound its
	// messages.
	Transport func() (sdk.Transport, error)

	Prefix string   // prefix of its tools' names in the agent
	Extras wire.Map // of each of its tools, such as defer_loading: see [abi.ToolSpec]
	// Include and Exclude choose tools by patterns for the server's own names, such as "read_*". Without Include all tools are
	// chosen. A pattern that matches no tool is an error.
	Include, Exclude []string
	Idempotent       []string // patterns of tools that are safe to run again
	// TrustAnnotations trusts the server to say which of its tools are idempotent or read-only. Otherwise only Idempotent counts.
	TrustAnnotations bool
	// Elicitation lets the server ask a person something during a call, which interrupts the run. Calls to a server with a
	// protocol before 2026-07-28 then run one at a time: such a server does not say which call is asking.
	Elicitation bool

	// Resources and Prompts give the model tools for the resources and the prompts of the server: list_resources and read_resource,
	// list_prompts and get_prompt. Their names begin with Prefix or, without one, with the server's name.
	Resources, Prompts bool

	// Sampling lets the server ask a model during a call. nil: it must not. Calls to a server with a protocol before 2026-07-28 then run
	// one at a time, as with Elicitation.
	Sampling *Sampling
	// Roots are directories that the server learns about if it asks where it may work.
	Roots []string

	Timeout        time.Duration // time limit of one call; 0: two minutes
	ConnectTimeout time.Duration // time limit to start or reach the server and list its tools; 0: 30 seconds
	MaxResult      int           // text of a result that the model sees, in bytes; 0: 64 KiB

	// ToolsChanged is called when Refresh would read the list again: the server has announced a change, or was connected again. It must
	// neither wait nor use the server. nil: nobody is told.
	ToolsChanged func()

	Logger *slog.Logger     // receives the server's log and standard error; nil: discarded
	Clock  func() time.Time // nil: time.Now
}

// Names of transports, as langchain-mcp-adapters has them.
const (
	TransportStdio          = "stdio"
	TransportStreamableHTTP = "streamable_http"
	TransportSSE            = "sse" // HTTP+SSE of the protocol version 2024-11-05, which later versions replace by streamable HTTP
)

// Authorizer gives access tokens for a server, such as an oauth.Source.
type Authorizer interface {
	// Token returns the access token to send, or "" if there is none. rejected is a token that the server has just refused, or "".
	Token(ctx context.Context, rejected string) (string, error)
}

const (
	defaultTimeout        = 2 * time.Minute
	defaultConnectTimeout = 30 * time.Second
	defaultMaxResult      = 64 << 10
)

// These bounds limit what a server may send.
const (
	maxMessage     = 8 << 20   // bytes of one message
	maxTools       = 512       // tools, resources or prompts that it may offer
	maxPages       = 32        // pages of such a list
	maxSchemas     = 8 << 20   // bytes of such a list
	maxDescription = 4096      // characters of a tool's description
	maxName        = 64        // characters of a tool's name in the agent, as providers allow
	maxMedia       = 5 << 20   // bytes of the images of a result
	maxBlocks      = 256       // parts of a result
	maxLogged      = 256 << 10 // bytes of its log and standard error for each connection
	maxProgress    = 1000      // events of one call
	maxPending     = 256       // unread messages to it
	maxQuestion    = 16 << 10  // bytes of a question to a person
)

// Check reports an invalid configuration without connecting to anything.
func (c *Config) Check() error {
	kinds := 0
	for _, given := range []bool{len(c.Command) > 0, c.URL != "", c.Transport != nil} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return errors.New("neither a command nor a url is given; set one of them")
	case kinds > 1:
		return errors.New("both a command and a url are given; remove one of them")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("command: the name of the program is empty")
	case len(c.Command) == 0 && (c.Dir != "" || len(c.Env) > 0):
		return errors.New("env: it only applies to a command; use headers for a url")
	case c.URL == "" && c.Auth != nil:
		return errors.New("oauth: it only applies to a url")
	case c.URL == "" && len(c.Headers) > 0:
		return errors.New("headers: they only apply to a url; use env for a command")
	case fit(c.Prefix) != c.Prefix || len(c.Prefix) > maxName/2:
		return fmt.Errorf("prefix: %q must have at most %d characters, and only letters, digits, _ and -", c.Prefix, maxName/2)
	case c.Timeout < 0 || c.ConnectTimeout < 0 || c.MaxResult < 0:
		return errors.New("timeout, connect_timeout and max_result must not be negative")
	}
	if err := c.checkRights(); err != nil {
		return err
	}
	if err := c.checkTransport(); err != nil {
		return err
	}
	if c.URL != "" {
		if err := checkURL(c.URL); err != nil {
			return err
		}
	}
	if err := c.checkValues(); err != nil {
		return err
	}
	for key, patterns := range map[string][]string{"include": c.Include, "exclude": c.Exclude, "idempotent": c.Idempotent} {
		for _, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
				return fmt.Errorf("%s: %q is not a pattern; write a name, with * for any characters", key, pattern)
			}
		}
	}
	return nil
}

// checkRights refuses invalid rights of the server.
func (c *Config) checkRights() error {
	switch {
	case c.Sampling != nil && (c.Sampling.MaxRequests < 0 || c.Sampling.MaxTokens < 0):
		return errors.New("sampling: max_requests and max_tokens must not be negative")
	case slices.Contains(c.Roots, ""):
		return errors.New("roots: an entry is empty; write the path of a directory")
	}
	return nil
}

// checkTransport refuses the name of a transport that is unknown, or that does not fit a command or URL.
func (c *Config) checkTransport() error {
	switch c.TransportName {
	case "":
	case TransportStdio:
		if len(c.Command) == 0 {
			return errors.New("transport: stdio needs a command; remove it, or write a command instead of a url")
		}
	case TransportStreamableHTTP, TransportSSE:
		if c.URL == "" {
			return fmt.Errorf("transport: %s needs a url; remove it, or write a url instead of a command", c.TransportName)
		}
	default:
		return fmt.Errorf("transport: %q is unknown; use %s for a command, %s or %s for a url",
			c.TransportName, TransportStdio, TransportStreamableHTTP, TransportSSE)
	}
	return nil
}

// checkValues refuses invalid environment variables and headers. Errors never show a value, because it may be a secret.
func (c *Config) checkValues() error {
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(c.Env[name], "\x00") {
			return fmt.Errorf("env: %q is not a valid name of an environment variable, or its value contains a NUL", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		if !headerfield.IsName(name) || !headerfield.IsValue(c.Headers[name]) {
			return fmt.Errorf("headers: %q is not a valid header name, or its value contains a control character, such as a line break", name)
		}
		if slices.Contains(ownHeaders, strings.ReplaceAll(strings.ToLower(name), "_", "-")) { // a server behind CGI cannot tell them apart
			return fmt.Errorf("headers: %q is set by the protocol; remove it", name)
		}
	}
	return nil
}

// ownHeaders lists the headers that the transport itself sets.
var ownHeaders = []string{
	"accept", "connection", "content-length", "content-type", "host", "last-event-id", "mcp-protocol-version", "mcp-session-id",
	"transfer-encoding",
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("url: the URL is invalid; write it as https://example.com/mcp") // its text may hold a secret
	case (u.Scheme != "https" && u.Scheme != "http") || u.Host == "":
		return errors.New("url: the URL must begin with http:// or https://, as in https://example.com/mcp")
	case u.User != nil:
		return errors.New("url: the URL contains a user; send credentials in a header, such as Authorization")
	case u.Fragment != "":
		return errors.New("url: the URL has a fragment after #, which is never sent to a server; remove it")
	}
	return nil
}

// withDefaults fills in unset fields.
func (c Config) withDefaults() Config {
	c.Name = c.ServerName()
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.MaxResult == 0 {
		c.MaxResult = defaultMaxResult
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now //nolint:forbidigo // the default of the clock in Config
	}
	c.Logger = c.Logger.With("mcp_server", c.Name)
	return c
}

// ServerName returns the effective name of the server.
func (c *Config) ServerName() string {
	if c.Name != "" {
		return c.Name
	}
	if len(c.Command) > 0 && c.Command[0] != "" {
		return filepath.Base(c.Command[0])
	}
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return "server"
}
