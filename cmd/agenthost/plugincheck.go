package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/terminal"
)

func (a *app) pluginCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "plugin", Short: "Create, build, test, inspect and share WebAssembly plugins"})
	c.AddCommand(a.pluginNewCommand(), a.pluginCheckCommand(), a.pluginInspectCommand(), a.pluginPackCommand(), a.pluginBenchCommand(),
		a.pluginBuildCommand(), a.pluginReplayCommand(), a.pluginTestCommand(),
		a.pluginPushCommand(), a.pluginPullCommand(), a.pluginLockCommand(), a.pluginKeygenCommand(), a.pluginSignCommand(), a.pluginVerifyCommand())
	return c
}

// pluginCheck holds the flags of plugin check.
type pluginCheck struct {
	hooks  []string
	config string
	grant  string
	json   bool
}

func (a *app) pluginCheckCommand() *cobra.Command {
	var flags pluginCheck
	c := &cobra.Command{
		Use:   "check FILE... [flags]",
		Short: "Load plugins and call each of their hooks once",
		Long: `Load each file like an agent does, with the default limits and no grants but those of --grant, configure
it, and call each hook in its Description once, in an agent whose model calls one tool. The command prints
a line for each file, and a line for each hook of a file that loads.

With a grant, requests are real, the store is empty, and a scripted model and scripted tools answer "done".

The exit code is 0 if all calls succeeded, 5 if a plugin was refused or failed, and otherwise 2 if a file
cannot be read.`,
		Example: `  agenthost plugin check redact.wasm
  agenthost plugin check *.wasm --json
  agenthost plugin check redact.wasm --hook before_model --config '{strategy: hash}'
  agenthost plugin check cache.wasm --grant '{kv: true, clock.now: true}'`,
		Args: arguments("FILE..."),
		RunE: func(c *cobra.Command, files []string) error { return a.pluginCheck(c.Context(), files, &flags) },
	}
	c.Flags().StringSliceVar(&flags.hooks, "hook", nil, "call only this `HOOK`; may be repeated")
	c.Flags().StringVar(&flags.config, "config", "", "the plugin's `CONFIG`: YAML, JSON, or @FILE")
	c.Flags().StringVar(&flags.grant, "grant", "", grantUsage)
	c.Flags().BoolVar(&flags.json, "json", false, "print each line as JSON")
	return c
}

func (a *app) pluginCheck(ctx context.Context, files []string, flags *pluginCheck) error {
	hooks, err := parseHooks("--hook", flags.hooks)
	if err != nil {
		return err
	}
	wasm, err := pluginUnder(flags.config, flags.grant)
	if err != nil {
		return err
	}
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	wasm.Engine = engine
	code, unconfigured := exitOK, false
	for _, file := range files {
		wasm.Path = file
		findings := author.Check(ctx, wasm, hooks...)
		if ctx.Err() != nil {
			return interrupted()
		}
		for i := range findings {
			found := &findings[i]
			if !found.OK {
				code = max(code, refusedExit(found.Stage, found.Kind))
				unconfigured = unconfigured || found.Stage == abi.ExportConfigure && flags.config == ""
			}
			if err := a.printFinding(found, flags.json); err != nil {
				return &exitError{exitFailed, err}
			}
		}
	}
	switch {
	case code == exitOK:
		return nil
	case unconfigured:
		return &exitError{exitPlugin, errors.New("plugin check: a plugin needs a configuration; give one with --config; " +
			"'agenthost plugin inspect' shows its keys")}
	default:
		return &exitError{code, nil}
	}
}

func (a *app) printFinding(f *author.Finding, asJSON bool) error {
	if asJSON {
		return terminal.PrintLine(a.out, f)
	}
	what, outcome := f.Stage, "ok"
	if f.Hook != "" {
		what = string(f.Hook)
	}
	if !f.OK {
		outcome = "FAILED"
		if f.Kind != "" {
			outcome += " " + string(f.Kind)
		}
		outcome += ": " + f.Message
	}
	lines := []string{terminal.Continued(fmt.Sprintf("%s: %-15s %s (fuel %d, %.1f ms, memory %d KiB)", f.File, what, outcome, f.Fuel, f.WallMS, f.Memory>>10))}
	for _, warning := range f.Warnings {
		lines = append(lines, terminal.Line(fmt.Sprintf("%s: %-15s warning: %s", f.File, what, warning.Text)))
	}
	_, err := fmt.Fprintln(a.out, strings.Join(lines, "\n"))
	return err
}

// parseHooks parses the values of a flag.
func parseHooks(flag string, names []string) ([]abi.Hook, error) {
	hooks := make([]abi.Hook, 0, len(names))
	for _, name := range names {
		if !slices.Contains(abi.Hooks(), abi.Hook(name)) {
			return nil, &exitError{exitUsage, fmt.Errorf("%s: there is no hook %q; choose from %s", flag, name, joinHooks())}
		}
		hooks = append(hooks, abi.Hook(name))
	}
	return hooks, nil
}

func joinHooks() string {
	names := make([]string, 0, len(abi.Hooks()))
	for _, hook := range abi.Hooks() {
		names = append(names, string(hook))
	}
	return strings.Join(names, ", ")
}
