package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	mcpserver "github.com/agenthost/agenthost/server/mcp"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) mcpCommand() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Serve the agent to MCP clients",
		Long: `Serve the agent by the Model Context Protocol, on standard input and output or, with --http, over
streamable HTTP at the path /mcp. Clients find one tool that runs the agent, by the manifest's name, with a
prompt and, for a conversation that goes on, the name of a thread; and the tools of the manifest, by their
names. Each call of one passes through all middleware, as a call of the model does.

A run that asks a human something asks the client's user, if the client can; otherwise the call fails, and
names the command that answers, where the manifest's checkpoint keeps threads in a database.

With --http everybody who reaches the address can run the agent: there is no login. A port alone is one of
this machine, which nobody else reaches, and web pages do not either.`,
		Example: `  agenthost mcp -f agenthost.yaml
  agenthost mcp -f agenthost.yaml --http 8080`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("http") {
				return a.serveMCP(c.Context(), func(ctx context.Context, s *mcpserver.Server) error { return s.Serve(ctx, a.in, a.out) })
			}
			local, err := listenAddress(address)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("--http %s: %w", address, err)}
			}
			return a.serveMCP(c.Context(), func(ctx context.Context, s *mcpserver.Server) error { return a.serveMCPOverHTTP(ctx, s, local) })
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVar(&address, "http", "", "serve over HTTP at an `address`: a port, or HOST:PORT")
	return c
}

// listenAddress is the address to listen at: without a host, one of this machine alone.
func listenAddress(given string) (string, error) {
	if _, err := strconv.ParseUint(given, 10, 16); err == nil {
		return net.JoinHostPort("127.0.0.1", given), nil
	}
	name, port, err := net.SplitHostPort(given)
	if err != nil {
		return "", errors.New("it must be a port, such as 8080, or HOST:PORT")
	}
	if name == "" {
		name = "127.0.0.1"
	}
	return net.JoinHostPort(name, port), nil
}

// serveMCP builds the agent and serves it, until the clients have left or the context ends.
func (a *app) serveMCP(ctx context.Context, serve func(context.Context, *mcpserver.Server) error) (err error) {
	var built host.Config
	agent, err := a.load(ctx, manifest.Options{}, func(config *host.Config) {
		mcpserver.Prepare(config)
		built = *config
	})
	if err != nil {
		return err
	}
	defer func() {
		if closing := agent.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	config := mcpserver.Config{
		Name: built.Name, Description: agent.Description, Version: thisBuild().version, Tools: built.Tools, Threads: built.Checkpointer, Logger: a.logger(),
	}
	if agent.Durable {
		config.Resume = func(thread string) string {
			command := question.Command{Thread: thread, File: a.file, Set: a.set}
			return command.Line()
		}
	}
	server, err := mcpserver.New(agent.Agent, config)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("%s: %w", a.file, err)}
	}
	defer server.Close()
	switch err := serve(ctx, server); {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return &exitError{exitFailed, fmt.Errorf("mcp: %w", err)}
	}
	return nil
}

// How long clients have to send the head of a request, and to leave when the command ends.
const (
	mcpHeaderTime = 10 * time.Second
	mcpLeaveTime  = 5 * time.Second
)

// serveMCPOverHTTP serves at an address.
func (a *app) serveMCPOverHTTP(ctx context.Context, s *mcpserver.Server, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		fmt.Fprintf(a.err, "· everybody who reaches %s can run the agent: there is no login\n", terminal.Text(at.String()))
	}
	fmt.Fprintf(a.err, "· listening on http://%s/mcp\n", terminal.Text(listener.Addr().String()))
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: mcpHeaderTime}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Close()
	leaving, stop := context.WithTimeout(context.WithoutCancel(ctx), mcpLeaveTime)
	defer stop()
	if err := server.Shutdown(leaving); err != nil {
		_ = server.Close() // who has not left is cut off
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
