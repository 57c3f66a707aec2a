package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/terminal"
)

// pluginReplay holds the flags of plugin replay.
type pluginReplay struct {
	plugins []string
	calls   []int
	json    bool
}

func (a *app) pluginReplayCommand() *cobra.Command {
	var flags pluginReplay
	c := &cobra.Command{
		Use:   "replay FILE [flags]",
		Short: "Repeat the plugin calls of a recorded run and show differences",
		Long: `Repeat every call in a recording that 'agenthost run --record FILE' made, without a model, tools or
network: the recording answers whatever the plugin asks. The same module must do the same and use the same
fuel. With --plugin another module takes its place. The command then shows what it does differently, and a
difference in fuel does not count.

The modules must still be where they were when the run was recorded, and unchanged.

The exit code is 0 if nothing differs, 5 if something does, and 2 if the recording or a module cannot be
loaded.`,
		Example: `  agenthost plugin replay run.cassette
  agenthost plugin replay run.cassette --call 7 --json
  agenthost plugin replay run.cassette --plugin redact-2.wasm
  agenthost plugin replay run.cassette --plugin redact=build/new.wasm`,
		Args: arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginReplay(c.Context(), args[0], &flags) },
	}
	c.Flags().StringArrayVar(&flags.plugins, "plugin", nil,
		"use another module: `NAME=FILE` for the plugin NAME, or FILE for the plugin with its name or the only plugin; may be repeated")
	c.Flags().IntSliceVar(&flags.calls, "call", nil, "repeat only the call with this `NUMBER`; may be repeated")
	c.Flags().BoolVar(&flags.json, "json", false, "print each call as a line of JSON")
	return c
}

func (a *app) pluginReplay(ctx context.Context, file string, flags *pluginReplay) error {
	r := &replayRun{app: a, flags: flags, file: file, others: map[string]string{}, replays: map[*cassette.Plugin]*author.Replay{}}
	names, err := r.survey()
	if err == nil {
		err = r.modules(names)
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	r.engine = a.engine(a.logger())
	defer r.close()
	err = r.eachCall(func(frame *cassette.Frame) error {
		if len(flags.calls) > 0 && !slices.Contains(flags.calls, frame.Number) {
			return nil
		}
		return r.call(ctx, frame)
	})
	if err != nil {
		return err
	}
	if r.truncated {
		fmt.Fprintf(a.err, "· %s: %v\n", file, cassette.ErrTruncated)
	}
	return r.summary()
}

// replayRun is one replay of a recording.
type replayRun struct {
	*app

	flags     *pluginReplay
	file      string
	engine    *plugin.Engine
	others    map[string]string // the modules of --plugin, by the plugin's name
	replays   map[*cassette.Plugin]*author.Replay
	truncated bool // whether the end of the recording is missing
	performed int
	different int
}

// eachCall reads the recording from the start and calls each for every call. A missing end is not an error.
func (r *replayRun) eachCall(each func(*cassette.Frame) error) error {
	reader, err := cassette.Open(r.file)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer func() { _ = reader.Close() }() // it was only read
	for frame, err := range reader.Frames() {
		switch {
		case errors.Is(err, cassette.ErrTruncated):
			r.truncated = true
			return nil
		case err != nil:
			return &exitError{exitUsage, fmt.Errorf("recording %s: %w", r.file, err)}
		}
		if err := each(frame); err != nil {
			return err
		}
	}
	return nil
}

// survey reads the whole recording before any call is repeated, checks --call, and returns the names of the plugins.
func (r *replayRun) survey() (names []string, err error) {
	numbers := 0
	err = r.eachCall(func(frame *cassette.Frame) error {
		numbers = frame.Number
		if !slices.Contains(names, frame.Plugin.Name) {
			names = append(names, frame.Plugin.Name)
		}
		return nil
	})
	for _, number := range r.flags.calls {
		if err == nil && (number < 1 || number > numbers) {
			err = fmt.Errorf("--call: there is no call %d; the calls of %s are numbered 1 to %d", number, r.file, numbers)
		}
	}
	return names, err
}

// modules parses --plugin. A file without a name replaces the only plugin, or the one with the file's name.
func (r *replayRun) modules(names []string) error {
	for _, given := range r.flags.plugins {
		name, path, named := strings.Cut(given, "=")
		if !named {
			name, path = plugin.Wasm{Path: given}.Name(), given
			if len(names) == 1 {
				name = names[0]
			}
		}
		switch {
		case !slices.Contains(names, name):
			return fmt.Errorf("--plugin %s: the recording has no plugin %q; write NAME=FILE with one of %s",
				given, name, strings.Join(names, ", "))
		case r.others[name] != "":
			return fmt.Errorf("--plugin: %s and %s both replace the plugin %q; keep one", r.others[name], path, name)
		}
		r.others[name] = path
	}
	return nil
}

// module returns the module for a plugin of the recording: the one in --plugin, or the recorded one.
func (r *replayRun) module(p *cassette.Plugin) (plugin.Wasm, error) {
	w := plugin.Wasm{ID: p.Name, Engine: r.engine, Path: r.others[p.Name]}
	if w.Path != "" {
		return w, nil
	}
	if p.Path == "" {
		return w, errors.New("the recording names no file for it; name the module with --plugin FILE")
	}
	w.Path, w.SHA256 = p.Path, p.SHA256
	return w, nil
}

// load loads the module for a plugin of the recording once.
func (r *replayRun) load(ctx context.Context, p *cassette.Plugin) (*author.Replay, error) {
	if loaded := r.replays[p]; loaded != nil {
		return loaded, nil
	}
	w, err := r.module(p)
	var loaded *author.Replay
	if err == nil {
		loaded, err = author.NewReplay(ctx, w, p, nil)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupted()
		}
		if w.SHA256 != "" {
			err = fmt.Errorf("%w; put the recorded module back, or compare with another one with --plugin FILE", err)
		}
		return nil, &exitError{exitUsage, fmt.Errorf("plugin %q: %s: %w", p.Name, w.Path, err)}
	}
	r.replays[p] = loaded
	return loaded, nil
}

// replayRecord is what the command prints about a call.
type replayRecord struct {
	Call         int                   `json:"call"`
	Plugin       string                `json:"plugin"`
	Step         string                `json:"step"`
	Export       string                `json:"export"`
	OK           bool                  `json:"ok"`
	Fuel         uint64                `json:"fuel"`
	RecordedFuel uint64                `json:"recorded_fuel"`
	Fault        *cassette.Fault       `json:"fault,omitempty"` // of the repeated call
	Error        string                `json:"error,omitempty"` // why the call could not be repeated
	Differences  []cassette.Difference `json:"differences,omitempty"`
}

// call repeats a call and prints the result.
func (r *replayRun) call(ctx context.Context, frame *cassette.Frame) error {
	loaded, err := r.load(ctx, frame.Plugin)
	if err != nil {
		return err
	}
	record := replayRecord{
		Call: frame.Number, Plugin: frame.Plugin.Name, Step: frame.Step, Export: frame.Export, RecordedFuel: frame.Fuel,
	}
	performed, err := loaded.Call(ctx, frame)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		record.Error = err.Error()
	default:
		record.Fuel, record.Fault = performed.Fuel, performed.Fault
		record.Differences = cassette.Compare(frame, performed, loaded.Same())
		record.OK = len(record.Differences) == 0
	}
	r.performed++
	if !record.OK {
		r.different++
	}
	if err := r.print(&record); err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

func (r *replayRun) print(record *replayRecord) error {
	if r.flags.json {
		return terminal.PrintLine(r.out, record)
	}
	outcome, fuel := "ok", fmt.Sprintf("fuel %d", record.Fuel)
	if record.Fuel != record.RecordedFuel {
		fuel = fmt.Sprintf("fuel %d → %d", record.RecordedFuel, record.Fuel)
	}
	switch {
	case record.Error != "":
		outcome, fuel = "FAILED", record.Error
	case !record.OK:
		outcome = "DIFFERENT"
	case record.Fault != nil:
		outcome = "ok, fault " + record.Fault.Kind
	}
	heading := fmt.Sprintf("call %d: %s: %s (%s)", record.Call, docdiff.Clean(record.Step), outcome, fuel)
	var lines []string
	for i := range record.Differences {
		lines = append(lines, record.Differences[i].Lines()...)
	}
	_, err := fmt.Fprintln(r.out, terminal.List(heading, lines))
	return err
}

// summary prints the totals and returns the error with the exit code.
func (r *replayRun) summary() error {
	if !r.flags.json {
		fmt.Fprintf(r.out, "%s repeated, %d different\n", counted(r.performed, "call"), r.different)
	}
	if r.different > 0 {
		return &exitError{exitPlugin, nil}
	}
	return nil
}

// close releases the modules. Errors do not matter because the process is about to end.
func (r *replayRun) close() {
	for _, loaded := range r.replays {
		_ = loaded.Close()
	}
	_ = r.engine.Close()
}
