//go:build !no_serve

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/netlisten"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	mcpserver "github.com/agenthost/agenthost/server/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Serve the agent to MCP clients",
		Long: `Serve the agent over the Model Context Protocol, on standard input and output or, with --http, over
streamable HTTP at the path /mcp. Clients find a tool named after the agent, which runs it with a prompt
and, to continue a conversation, the name of a thread. They also find the tools of the manifest. A call of
such a tool passes through all middleware, like a call by the model. Clients are told when the tools of
the manifest's MCP servers change.

If a run asks a person something, the client asks its user. If the client cannot ask, the call fails; if
the manifest's checkpoint is a database, the error names the command that answers.

With --http, everybody who can reach the address can run the agent: there is no login. If you give only a
port, the server listens on this machine only, and refuses requests from web pages.`,
		Example: `  agenthost mcp -f agenthost.yaml
  agenthost mcp -f agenthost.yaml --http 8080`,
		Args: noArguments,
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
	c.Flags().StringVar(&address, "http", "", "serve over HTTP at this `ADDRESS`: a port, or HOST:PORT")
	return c
}

// listenAddress returns the address to listen at. Without a host it is on the loopback interface.
func listenAddress(given string) (string, error) {
	if _, err := strconv.ParseUint(given, 10, 16); err == nil {
		return net.JoinHostPort("127.0.0.1", given), nil
	}
	name, port, err := net.SplitHostPort(given)
	if err != nil {
		return "", errors.New("write a port, such as 8080, or HOST:PORT")
	}
	if name == "" {
		name = "127.0.0.1"
	}
	return net.JoinHostPort(name, port), nil
}

// serveMCP builds the agent and serves it until the clients leave or the context ends.
func (a *app) serveMCP(ctx context.Context, serve func(context.Context, *mcpserver.Server) error) (err error) {
	restore := outliveClient()
	defer restore()
	var built host.Config
	var present atomic.Pointer[mcpserver.Server]
	changed := func() {
		if s := present.Load(); s != nil {
			s.ToolsChanged()
		}
	}
	agent, err := a.load(ctx, manifest.Options{ToolsChanged: changed}, func(config *host.Config) {
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
		Name: built.Name, Description: agent.Description, Version: thisBuild().version, Tools: built.Tools,
		RefreshTools: built.RefreshTools, Threads: built.Checkpointer, Logger: a.logger(),
	}
	if agent.Durable {
		config.Resume = func(thread string) string { return a.resumeElsewhere(agent.Threads, thread) }
	}
	server, err := mcpserver.New(agent.Agent, config)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("%s: %w", a.file, err)}
	}
	defer server.Close()
	present.Store(server)
	changed() // for what was announced before
	switch err := serve(ctx, server); {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return &exitError{exitFailed, fmt.Errorf("mcp: %w", err)}
	}
	return nil
}

// resumeElsewhere returns the command that continues a thread, for a reader who is in another directory.
func (a *app) resumeElsewhere(threads checkpoint.Store, thread string) string {
	held, err := threads.Load(context.Background(), thread, 0)
	if err != nil {
		return question.Command{Thread: thread}.Line()
	}
	command := a.continuing(thread, held.Program)
	if command.File != "" {
		command.File = held.Program.Manifest
	}
	return command.Line()
}

// Time limits for clients: to send the header of a request, and to leave when the command ends.
const (
	mcpHeaderTime = 10 * time.Second
	mcpLeaveTime  = 5 * time.Second
)

// serveMCPOverHTTP serves at an address.
func (a *app) serveMCPOverHTTP(ctx context.Context, s *mcpserver.Server, address string) error {
	listener, err := netlisten.At(ctx, "tcp", address, address)
	if err != nil {
		return err
	}
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		fmt.Fprintf(a.err, "· everybody who can reach %s can run the agent: there is no login\n", terminal.Text(at.String()))
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
		_ = server.Close() // cut off the clients that have not left
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
