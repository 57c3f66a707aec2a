//go:build !no_serve

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/remote"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/waterfall"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/runs"
)

// traceFlags say where the events are.
type traceFlags struct {
	threadsFlags
	server serverFlags
	owner  string
	output string
}

func (a *app) traceCommand() *cobra.Command {
	f := &traceFlags{}
	c := &cobra.Command{
		Use:   "trace THREAD|RUN|FILE [flags]",
		Short: "Show where the time of runs went",
		Long: `Draw when the hooks, model calls and tool calls of runs began and ended, how many tokens and how much
fuel they used, and what they cost. THREAD and RUN are ids of 'agenthost serve', whose database has the
events; it is the one that the manifest names as checkpoint, or that of --store. A server keeps the events
of a run for the time retention.events. With --server, a running server is asked: THREAD is the id of a
thread, or a name that 'agenthost run --server' gave it. FILE is the output of 'agenthost run --output jsonl'.`,
		Example: `  agenthost run --output jsonl "hi" > run.jsonl; agenthost trace run.jsonl
  agenthost trace --server https://agents.example.com ada
  agenthost trace --store sqlite:agents.db 0199f3c0-7a54-7c3e-9d5a-2f1f0a1b2c3d`,
		Args: arguments("THREAD|RUN|FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.trace(c, f, args[0]) },
	}
	a.addFile(c, false)
	c.Flags().StringVar(&f.store, "store", "", "the `DATABASE` of the server, such as sqlite:agents.db, instead of the manifest's")
	c.Flags().StringVar(&f.server.url, "server", "", "read the events from the server at this `URL`, with the key in "+remote.KeyVariable)
	f.server.addHeader(c)
	c.Flags().StringVar(&f.owner, "owner", "", "the `NAME` of the owner of the thread, if the server has auth")
	c.Flags().StringVarP(&f.output, "output", "o", "text", "the output `FORMAT`: text or json")
	return c
}

func (a *app) trace(c *cobra.Command, f *traceFlags, subject string) error {
	if f.output != "text" && f.output != "json" {
		return &exitError{exitUsage, fmt.Errorf("--output %q: the formats are text and json", f.output)}
	}
	events, err := a.eventsOf(c, f, subject)
	if err != nil {
		return err
	}
	bars := waterfall.Of(events)
	if f.output == "json" {
		return json.NewEncoder(a.out).Encode(bars)
	}
	if len(bars) == 0 {
		fmt.Fprintln(a.err, "· there are no events with a duration")
	}
	return waterfall.Draw(a.out, bars, a.columns())
}

// eventsOf returns the events of a file, of a server, or of the database.
func (a *app) eventsOf(c *cobra.Command, f *traceFlags, subject string) ([]host.Event, error) {
	info, missing := os.Stat(subject)
	switch {
	case missing == nil && info.Mode().IsRegular():
		return eventsOfFile(subject)
	case f.server.url != "":
		return f.servedEvents(c, subject)
	case len(f.server.headers) > 0:
		return nil, &exitError{exitUsage, errors.New("--header says something about a server; name the server with --server URL")}
	case f.store == "":
		if err := a.locate(c); err != nil {
			return nil, err
		}
	}
	return a.keptEvents(c.Context(), f, subject)
}

// columns returns the width of the terminal; 100 if there is none.
func (a *app) columns() int {
	if file, ok := a.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// eventsOfFile reads the lines of agenthost run --output jsonl.
func eventsOfFile(path string) (events []host.Event, err error) {
	content, err := regularfile.Read(path, maxRecording)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		var e host.Event
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &e); err != nil || e.Type == "" {
			return nil, &exitError{exitUsage, fmt.Errorf("%s: line %d is not an event; use a file of 'agenthost run --output jsonl'", path, number)}
		}
		events = append(events, e)
	}
	return events, nil
}

// servedEvents reads the events of a thread from a server.
func (f *traceFlags) servedEvents(c *cobra.Command, thread string) ([]host.Event, error) {
	for _, name := range []string{"store", "owner", manifestFlag} {
		if c.Flags().Changed(name) {
			return nil, &exitError{exitUsage, fmt.Errorf("--%s is about a database; leave it out, or leave out --server", name)}
		}
	}
	config, err := f.server.config()
	if err != nil {
		return nil, err
	}
	events, err := remote.Events(c.Context(), config, thread)
	if err != nil {
		return nil, &exitError{serverExit(err), fmt.Errorf("--server: %w", err)}
	}
	return events, nil
}

// keptEvents reads the events of a thread or run from the database of a server.
func (a *app) keptEvents(ctx context.Context, f *traceFlags, subject string) (events []host.Event, err error) {
	address, err := a.address(&f.threadsFlags)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	kept, err := storage.OpenExisting(ctx, address)
	if err != nil {
		return nil, &exitError{storeExit(err), err}
	}
	defer func() { err = errors.Join(err, failure(kept.Close())) }()
	found, err := runsOf(ctx, kept.Runs, f.owner, subject)
	if err != nil {
		return nil, err
	}
	for i := range found {
		for event, err := range runs.AllEvents(ctx, kept.Runs, f.owner, found[i].ID, 0) {
			if err != nil {
				return nil, &exitError{exitFailed, err}
			}
			e, err := event.Host()
			if err != nil {
				return nil, &exitError{exitFailed, err}
			}
			e.Agent, e.Thread = found[i].Agent, found[i].Thread
			events = append(events, *e)
		}
	}
	return events, nil
}

// runsOf returns the runs of a thread, the first submitted first, or one run.
func runsOf(ctx context.Context, store runs.Store, owner, subject string) ([]runs.Run, error) {
	found, err := store.FindRuns(ctx, owner, subject, &runs.RunQuery{Limit: runs.MaxPage})
	if err == nil {
		slices.Reverse(found)
		return found, nil
	}
	if run, err := store.Run(ctx, owner, subject); err == nil {
		return []runs.Run{*run}, nil
	}
	if errors.Is(err, runs.ErrNoThread) {
		return nil, &exitError{exitUsage, fmt.Errorf("there is no thread, run or file %q; with auth, name its owner with --owner", terminal.Line(subject))}
	}
	return nil, &exitError{exitFailed, err}
}
