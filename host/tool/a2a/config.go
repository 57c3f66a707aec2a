package a2a

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/mask"
)

// Config describes an agent elsewhere. URL is required.
type Config struct {
	// URL is the address of the agent, below which its card is at /.well-known/agent-card.json, or that of the card itself, which ends in .json. It
	// begins with https:// or http://.
	URL         string
	Name        string // name of the tool; "": that of the card
	Description string // description of the tool; "": that of the card
	// Headers are sent with each request, such as those with a credential.
	Headers map[string]string
	// Private lists networks that the host may resolve to, in addition to the public ones. An address written literally in URL, and
	// localhost, need no entry.
	Private        []netip.Prefix
	Timeout        time.Duration // time limit of a call, at most a day; 0: 10 minutes
	ConnectTimeout time.Duration // time limit for reading the card; 0: 30 s
	MaxResult      int           // text of the result that the model sees, in bytes; 0: 64 KiB
	ReturnDirect   bool          // the result ends the run
	Extras         wire.Map      // keys for the definition that the provider gets, such as defer_loading: see [abi.ToolSpec]
	// Secrets are hidden from results and errors. Credentials in Headers are hidden anyway.
	Secrets []string
}

const (
	defaultTimeout        = 10 * time.Minute
	defaultConnectTimeout = 30 * time.Second
	defaultMaxResult      = 64 << 10
	maxTimeout            = 24 * time.Hour
	maxMaxResult          = 16 << 20
	minSecret             = 6 // bytes of a hidden value, because shorter ones may be ordinary words
)

// ConfigError reports an invalid configuration, or an agent that cannot be used. It shows no header values.
type ConfigError struct {
	Key string // key in the manifest
	Err error
}

func (e *ConfigError) Error() string { return fmt.Sprintf("a2a tool: %s: %v", e.Key, e.Err) }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

func wrong(key, format string, args ...any) *ConfigError {
	return &ConfigError{key, fmt.Errorf(format, args...)}
}

// Check returns the [*ConfigError] with which [New] would refuse the configuration without asking the agent.
func (c *Config) Check() error {
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return wrong("url", "it must be an address such as https://agents.example.com/billing, without a user, a query or a fragment")
	case c.Name != "" && nameOf(c.Name) != c.Name:
		return wrong("name", "it must have 1 to %d letters, digits, _ and -, so that models can call the tool", maxName)
	case c.Timeout < 0 || c.Timeout > maxTimeout:
		return wrong("timeout", "it is %v; it must be at most %v", c.Timeout, maxTimeout)
	case c.ConnectTimeout < 0 || c.ConnectTimeout > maxTimeout:
		return wrong("connect_timeout", "it is %v; it must be at most %v", c.ConnectTimeout, maxTimeout)
	case c.MaxResult < 0 || c.MaxResult > maxMaxResult:
		return wrong("max_result", "it is %d bytes; it must be at most %d", c.MaxResult, maxMaxResult)
	}
	for name, value := range c.Headers {
		if !isHeader(name) || strings.ContainsAny(value, "\r\n\x00") {
			return wrong("headers", "%q cannot be sent", name)
		}
	}
	return nil
}

// Tool is an agent elsewhere. It must be closed.
type Tool struct {
	config  Config
	spec    abi.ToolSpec
	card    *a2a.AgentCard
	network *network
	client  *a2aclient.Client
	secrets *mask.Mask
}

// New reads the card of the agent, and makes the tool. The error is a [*ConfigError], or that of the context.
func New(ctx context.Context, c Config) (*Tool, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.MaxResult == 0 {
		c.MaxResult = defaultMaxResult
	}
	t := &Tool{config: c, secrets: secretsOf(&c)}
	var err error
	if t.network, err = newNetwork(&c); err != nil {
		return nil, err
	}
	inTime, stop := context.WithTimeout(ctx, c.ConnectTimeout)
	defer stop()
	if t.card, err = t.readCard(inTime); err == nil {
		t.client, err = t.connect(inTime)
	}
	if err != nil {
		t.network.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &ConfigError{"url", errors.New(t.line(err.Error()))}
	}
	t.spec, err = t.describe()
	return t, err
}

// secretsOf returns a mask of the secrets of a configuration.
func secretsOf(c *Config) *mask.Mask {
	values := append([]string{}, c.Secrets...)
	for name, value := range c.Headers {
		if mask.IsCredential(name) {
			values = append(append(values, value), mask.Credentials(value)...)
		}
	}
	return mask.Of(minSecret, values...)
}

// Spec describes the tool.
func (t *Tool) Spec() abi.ToolSpec { return t.spec }

// Close closes idle connections. Calls in progress end by themselves.
func (t *Tool) Close() error {
	err := t.client.Destroy()
	t.network.close()
	return err
}
