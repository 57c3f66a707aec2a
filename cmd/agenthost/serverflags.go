package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/remote"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/server/client"
)

// serverFlags choose an agent of a server in place of a manifest.
type serverFlags struct {
	url     string // "": the agent is that of a manifest
	agent   string
	headers []string
}

// notForServers lists the flags that are about an agent of this machine.
var notForServers = []string{manifestFlag, "set", "record", "dry-run", "accept-changes", "wait", "as", "always", "always-same", "budget"}

// add adds the flags to a command that has the flags of a manifest.
func (f *serverFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.url, "server", "", "use an agent of the server at this `URL`, such as one that agenthost serve runs, in place of a manifest")
	c.Flags().StringVar(&f.agent, "agent", "", "with --server, the `NAME` of the agent, or the id of an assistant; not needed if the server has one agent")
	f.addHeader(c)
	locate := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if f.url == "" {
			return errors.Join(f.unused(c), locate(c, args))
		}
		for _, name := range notForServers {
			if flag := c.Flags().Lookup(name); flag != nil && flag.Changed {
				return &exitError{exitUsage, fmt.Errorf("--%s is about an agent of this machine; leave it out, or leave out --server", name)}
			}
		}
		return nil
	}
}

// addHeader adds the flag for headers.
func (f *serverFlags) addHeader(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.headers, "header", nil,
		"with --server, a header to send: `NAME=VALUE`, where ${VARIABLE} is an environment variable; may be repeated")
}

// unused refuses flags that do nothing without a server.
func (f *serverFlags) unused(c *cobra.Command) error {
	for _, name := range []string{"server", "agent", "header"} {
		if !c.Flags().Changed(name) {
			continue
		}
		if name == "server" {
			return &exitError{exitUsage, errors.New("--server: the address is empty; write it as http://127.0.0.1:8123")}
		}
		return &exitError{exitUsage, fmt.Errorf("--%s says something about a server; name the server with --server URL", name)}
	}
	return nil
}

// config returns how to reach the server.
func (f *serverFlags) config() (client.Config, error) {
	headers := map[string]string{}
	if key := os.Getenv(remote.KeyVariable); key != "" {
		headers["x-api-key"] = key
	}
	for _, header := range f.headers {
		name, value, ok := strings.Cut(header, "=")
		if !ok || name == "" {
			return client.Config{}, &exitError{exitUsage, errors.New("--header: write it as NAME=VALUE, such as 'authorization=Bearer ${TOKEN}'")}
		}
		expanded, err := expandVariables(value)
		if err != nil {
			return client.Config{}, &exitError{exitUsage, fmt.Errorf("--header %s: %w", name, err)}
		}
		if strings.EqualFold(name, "x-api-key") {
			name = "x-api-key" // in place of that of the variable
		}
		headers[name] = expanded
	}
	return client.Config{URL: f.url, Headers: headers}, nil
}

// connect finds the agent.
func (f *serverFlags) connect(ctx context.Context) (*remote.Agent, error) {
	config, err := f.config()
	if err != nil {
		return nil, err
	}
	agent, err := remote.Connect(ctx, config, f.agent)
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		return nil, &exitError{serverExit(err), fmt.Errorf("--server: %w", err)}
	}
	return agent, nil
}

// serverExit returns the exit code of a server that cannot be used.
func serverExit(err error) int {
	if _, wrong := errors.AsType[*remote.UsageError](err); wrong || errors.Is(err, checkpoint.ErrNoThread) {
		return exitUsage
	}
	return exitFailed
}

// words returns the flags for a command line that is printed. Values that may be secrets are not shown.
func (f *serverFlags) words(agent string) []string {
	if f.url == "" {
		return nil
	}
	words := []string{"--server", f.url, "--agent", agent}
	for _, header := range f.headers {
		name, value, _ := strings.Cut(header, "=")
		if mask.IsCredential(name) && !variable().MatchString(value) {
			value = question.Placeholder
		}
		words = append(words, "--header", name+"="+value)
	}
	return words
}

// variable is a reference to an environment variable.
var variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expandVariables puts the values of environment variables in the places where a text refers to them.
func expandVariables(text string) (string, error) {
	var missing error
	expanded := variable().ReplaceAllStringFunc(text, func(found string) string {
		name := variable().FindStringSubmatch(found)[1]
		value, ok := os.LookupEnv(name)
		if !ok {
			missing = fmt.Errorf("the environment variable %s is not set", name)
		}
		return value
	})
	return expanded, missing
}
