package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/manifest"
)

// loginTime is how long a login with a browser may take.
const loginTime = 10 * time.Minute

func (a *app) loginCommand() *cobra.Command {
	var device, noBrowser bool
	c := &cobra.Command{
		Use:   "login SERVER [flags]",
		Short: "Log in to a remote MCP server with OAuth",
		Long: `Log in to a remote MCP server. SERVER is its name in the manifest, or its URL. A browser opens, in which
you log in and permit the access. With --device, you do that on another device, with a code.

The tokens are kept in the keyring of the operating system or, where there is none, in a file that only
you can read. Every agent of yours that uses the same URL sends them there, and renews them when they
expire. 'agenthost logout' removes them. docs/tools.md describes the key oauth of the manifest.`,
		Example: `  agenthost login search
  agenthost login https://mcp.example.com/mcp
  agenthost login --device search`,
		Args: arguments("SERVER"),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.loginClient(c.Context(), args[0])
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(c.Context(), loginTime)
			defer stop()
			var entry *oauth.Entry
			if device {
				entry, err = client.LoginDevice(ctx, a.showCode)
			} else {
				entry, err = client.Login(ctx, func(address string) { a.showAddress(address, !noBrowser && a.terminal) })
			}
			switch {
			case c.Context().Err() != nil:
				return interrupted()
			case errors.Is(err, context.DeadlineExceeded):
				err = fmt.Errorf("the login was not finished within %v", loginTime)
			}
			if err != nil {
				return &exitError{exitFailed, fmt.Errorf("login to %s: %w", terminal.Line(args[0]), err)}
			}
			_, err = fmt.Fprintf(a.out, "Logged in to %s with %s.\n", terminal.Line(entry.Server), terminal.Line(entry.Issuer))
			return err
		},
	}
	a.manifestFlags(c)
	c.Flags().BoolVar(&device, "device", false, "log in on another device, with a code")
	c.Flags().BoolVar(&noBrowser, "no-browser", false, "only print the address, and open no browser")
	return c
}

func (a *app) logoutCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "logout SERVER [flags]",
		Short: "Remove the login to a remote MCP server",
		Long: `Remove the tokens that 'agenthost login' has kept, and ask the authorization server to revoke them if it
can. SERVER is the server's name in the manifest, or its URL.`,
		Example: `  agenthost logout search
  agenthost logout https://mcp.example.com/mcp`,
		Args: arguments("SERVER"),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.loginClient(c.Context(), args[0])
			if err != nil {
				return err
			}
			found, err := client.Logout(c.Context())
			if err == nil && !found {
				err = errors.New("there is no login to remove")
			}
			if err != nil {
				return &exitError{exitFailed, fmt.Errorf("logout from %s: %w", terminal.Line(args[0]), err)}
			}
			_, err = fmt.Fprintf(a.out, "Logged out from %s.\n", terminal.Line(client.Server))
			return err
		},
	}
	a.manifestFlags(c)
	return c
}

// loginStore returns the store of logins. Without a directory for configuration there is none.
func (a *app) loginStore(logger *slog.Logger) oauth.Store {
	if a.logins != nil {
		return a.logins
	}
	files, err := oauth.UserFiles()
	if err != nil {
		logger.Warn("logins to MCP servers cannot be kept", "error", err)
		return nil
	}
	return loginsIn(files)
}

// loginClient returns the client for a server that is named by its URL, or by its name in the manifest.
func (a *app) loginClient(ctx context.Context, server string) (*oauth.Client, error) {
	store := a.loginStore(a.logger())
	if store == nil {
		return nil, &exitError{exitFailed, errors.New("there is no directory for the user's configuration; set HOME")}
	}
	if strings.Contains(server, "://") {
		client := &oauth.Client{Server: server, Store: store}
		if err := client.Check(); err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("%s: %w", terminal.Line(server), err)}
		}
		return client, nil
	}
	servers, err := a.servers(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range servers {
		name := servers[i].ServerName()
		source, ok := servers[i].Auth.(*oauth.Source)
		if name == server && ok {
			return source.Client(), nil
		}
		if name == server {
			return nil, &exitError{exitUsage, fmt.Errorf("the MCP server %q in %s has no login: it is a command, or its URL does not begin with https://",
				server, a.file)}
		}
		if ok {
			names = append(names, name)
		}
	}
	hint := "it has none with a URL; name a server by its URL"
	if near, ok := text.Nearest(server, names); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(names) > 0 {
		hint = "it has " + terminal.Lines(names)
	}
	return nil, &exitError{exitUsage, fmt.Errorf("%s has no remote MCP server %q; %s", a.file, server, hint)}
}

// servers lists the MCP servers of the manifest, and those of agents that are its tools. It starts none.
func (a *app) servers(ctx context.Context) ([]mcp.Config, error) {
	var servers []mcp.Config
	agent, err := a.load(ctx, manifest.Options{InMemory: true, Unstarted: func(server mcp.Config) { servers = append(servers, server) }}, nil)
	if err != nil {
		return nil, err
	}
	return servers, agent.Close()
}

// completeServer completes the names of remote MCP servers.
func (a *app) completeServer(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	servers, err := a.servers(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for i := range servers {
		if servers[i].Auth != nil && typable().MatchString(servers[i].ServerName()) {
			names = append(names, servers[i].ServerName())
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// showAddress asks the user to visit an address, and opens the browser there.
func (a *app) showAddress(address string, open bool) {
	fmt.Fprintf(a.err, "To log in, open this address in a browser on this machine:\n\n  %s\n\n", terminal.Text(address))
	if !open {
		return
	}
	browse := a.browse
	if browse == nil {
		browse = openBrowser
	}
	if err := browse(address); err != nil {
		fmt.Fprintf(a.err, "· no browser could be opened: %s; with --device you can use another machine\n", terminal.Line(err.Error()))
	}
}

// showCode asks the user to type a code on another device.
func (a *app) showCode(code oauth.DeviceCode) {
	fmt.Fprintf(a.err, "To log in, open this address on any device, and type the code %s:\n\n  %s\n\n", code.Code, code.Address)
	if code.Complete != "" {
		fmt.Fprintf(a.err, "This address already has the code:\n\n  %s\n\n", code.Complete)
	}
}
