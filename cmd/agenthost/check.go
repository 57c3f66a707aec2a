package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// checkFlags holds the flags of check.
type checkFlags struct {
	plugins []string
	against string
	real    []string
	all     bool
	json    bool
	timeout time.Duration
}

func (a *app) checkCommand() *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:   "check THREAD | FILE [flags]",
		Short: "Show what a changed plugin or manifest would do differently in a recorded conversation",
		Long: `Perform a recorded conversation again with a changed plugin or manifest, and show what would be different,
message by message, in the conversation and in the requests to the model. FILE has the output of
'agenthost run --output jsonl'; THREAD is a thread that the manifest's checkpoint keeps.

No model is asked and no tool runs: the recorded answers and results take their places. So the conversation
is performed twice, as the manifest is and with the change, and what differs comes from the change:

  --plugin NAME=FILE  uses another module or script for the plugin NAME
  --against MANIFEST  uses another manifest
  --set KEY=VALUE     overrides a value of the manifest

A recording has the results of tools after the middleware has seen them. For a plugin that wraps tool calls, let
a harmless tool run with --real NAME.

The agent works in a copy of the manifest's directory, and its threads are kept in memory.

The exit code is 0 if nothing differs, 1 if something does, and 2 if the recording cannot be read or the agent
cannot be built.`,
		Example: `  agenthost check run.jsonl --plugin redact=build/redact.wasm
  agenthost check run.jsonl --plugin redact=build/redact.wasm --real search_files
  agenthost check ada --set 'middleware[0].config.strategy=hash'
  agenthost check run.jsonl --against new.yaml --json`,
		Args: arguments("THREAD | FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.check(c.Context(), args[0], &flags) },
	}
	a.manifestFlags(c)
	c.Flags().StringArrayVar(&flags.plugins, "plugin", nil,
		"use another plugin: `NAME=FILE` for the plugin NAME, or FILE for the plugin with its name or the only plugin; may be repeated")
	c.Flags().StringVar(&flags.against, "against", "", "use the manifest in this `FILE`")
	c.Flags().StringArrayVar(&flags.real, "real", nil, "run the tool with this `NAME` in place of its recorded results; may be repeated")
	c.Flags().BoolVar(&flags.all, "all", false, "also list what is the same")
	c.Flags().BoolVar(&flags.json, "json", false, "print a JSON document")
	c.Flags().DurationVar(&flags.timeout, "timeout", 2*time.Minute, "how long the conversation may take: a `DURATION`")
	return c
}

func (a *app) check(ctx context.Context, source string, flags *checkFlags) error {
	if len(flags.plugins) == 0 && flags.against == "" && len(a.set) == 0 {
		return &exitError{exitUsage, errors.New("check: nothing is changed; add --plugin, --against or --set")}
	}
	changes := a.set
	a.set = nil // the manifest without the change
	events, err := a.recordedEvents(ctx, source)
	if err != nil {
		return err
	}
	c, err := a.recordedCase(events, flags.real)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("check: %s: %w", source, err)}
	}
	overrides, err := a.otherPlugins(ctx, flags.plugins)
	if err != nil {
		return err
	}
	logger := a.logger()
	engine := a.engine(logger)
	defer func() { _ = engine.Close() }() // the process is about to end
	limited, stop := context.WithTimeoutCause(ctx, flags.timeout, fmt.Errorf("the conversation took longer than %v; raise --timeout", flags.timeout))
	defer stop()
	var reports [2]*checkedRun
	for i, options := range []perform.Options{{}, {Set: append(overrides, changes...), Manifest: flags.against}} {
		options.Engine, options.Logins, options.Capture = engine, a.loginStore(logger), cassette.NewRecorder()
		report, err := perform.Case(limited, c, options)
		switch {
		case ctx.Err() != nil:
			return interrupted()
		case err != nil:
			return &exitError{exitUsage, fmt.Errorf("check: %w", err)}
		}
		recorded, err := options.Capture.Cassette()
		if err != nil {
			return &exitError{exitFailed, err}
		}
		reports[i] = &checkedRun{report, recorded.Requests("model")}
	}
	return a.printCheck(compareRuns(reports[0], reports[1]), flags)
}

// checkedRun is a conversation that was performed again.
type checkedRun struct {
	report   *perform.Report
	requests []wire.Raw
}

// recordedCase makes a case of a recording. Only the tools with these names run.
func (a *app) recordedCase(events []host.Event, running []string) (*cases.Case, error) {
	path, err := filepath.Abs(a.file)
	if err != nil {
		return nil, err
	}
	text, err := cases.FromEvents(events, cases.Options{Manifest: filepath.ToSlash(path), Stub: func(tool string) bool {
		return !slices.Contains(running, tool)
	}})
	if err != nil {
		return nil, err
	}
	return cases.Parse(filepath.Join(filepath.Dir(path), "recording"), text)
}

// recordedEvents reads the events of a file, or makes them of a thread.
func (a *app) recordedEvents(ctx context.Context, source string) (events []host.Event, err error) {
	file, _, err := regularfile.Open(source)
	switch {
	case err == nil:
		_ = file.Close()
		if events, err = readEvents(source); err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("check: %w", err)}
		}
		return events, nil
	case filepath.Ext(source) == ".jsonl": // whoever mistypes a file should not read of threads
		return nil, &exitError{exitUsage, fmt.Errorf("check: %w", err)}
	}
	err = a.withStore(ctx, &threadsFlags{}, func(store checkpoint.Store) error {
		c, err := threadview.Load(ctx, store, source, 0)
		if err != nil {
			return a.threadError(source, err)
		}
		events = eventsOf(c.Messages)
		return nil
	})
	return events, err
}

// eventsOf returns the events of a conversation of which only the messages are known.
func eventsOf(messages []abi.Message) (events []host.Event) {
	calls := map[string]*abi.ToolCall{}
	add := func(e host.Event) { events = append(events, e) }
	for i := range messages {
		m := messages[i]
		one := []abi.Message{m}
		switch m.Role {
		case abi.RoleHuman:
			if i > 0 {
				add(host.Event{Type: host.EventEnd, Status: host.Completed})
			}
			add(host.Event{Type: host.EventRun, Messages: one})
			continue
		case abi.RoleAI:
			for j := range m.ToolCalls {
				calls[m.ToolCalls[j].ID] = &m.ToolCalls[j]
			}
			add(host.Event{Type: host.EventModel, Step: host.ModelStep, Messages: one})
		case abi.RoleTool:
			if call := calls[m.ToolCallID]; call != nil {
				add(host.Event{Type: host.EventTool, Call: call, Messages: one})
			}
		case abi.RoleSystem: // nobody said it to the agent
		}
		add(host.Event{Type: host.EventState, Step: host.ModelStep, Messages: one})
	}
	return append(events, host.Event{Type: host.EventEnd, Status: host.Completed})
}

// otherPlugins returns the overrides of the manifest for --plugin.
func (a *app) otherPlugins(ctx context.Context, given []string) ([]string, error) {
	if len(given) == 0 {
		return nil, nil
	}
	agent, err := a.look(ctx)
	if err != nil {
		return nil, err
	}
	parts := agent.Middleware()
	if err := agent.Close(); err != nil {
		return nil, &exitError{exitFailed, err}
	}
	var out, names []string
	places := map[string]int{}
	for i, part := range parts {
		if part.Digest != "" {
			places[part.Name] = i
			names = append(names, part.Name)
		}
	}
	for _, one := range given {
		name, file, named := strings.Cut(one, "=")
		if !named {
			file = one
			name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			if _, known := places[name]; !known && len(names) == 1 {
				name = names[0]
			}
		}
		at, known := places[name]
		if !known {
			return nil, &exitError{exitUsage, fmt.Errorf("--plugin %s: the manifest has no plugin %q, only %s; write NAME=FILE", one, name, orNothing(names))}
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		out = append(out, fmt.Sprintf("middleware[%d].plugin=%s", at, wire.String(path).JSON()))
	}
	return out, nil
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "built-in middleware"
	}
	return strings.Join(names, ", ")
}
