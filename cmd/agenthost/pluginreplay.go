package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/terminal"
)

// pluginReplay are the flags of plugin replay.
type pluginReplay struct {
	plugins []string
	calls   []int
	json    bool
}

func (a *app) pluginReplayCommand() *cobra.Command {
	var flags pluginReplay
	c := &cobra.Command{
		Use:   "replay FILE [flags]",
		Short: "Perform the calls of a recorded run again, and show what differs",
		Long: `Perform every call of a recording that 'agenthost run --record FILE' made again, without a model, tools
or network: what the plugin asks is answered from the recording. The same module must do the same, with
the same fuel. With --plugin another module takes its place: what it does differently is shown, its fuel
only for information.

The modules are expected where they were when the run was recorded, unchanged.

The exit code is 0 if nothing differs, 5 if something does, 2 if the recording cannot be read or a module
cannot be loaded.`,
		Example: `  agenthost plugin replay run.cassette
  agenthost plugin replay run.cassette --call 7 --json
  agenthost plugin replay run.cassette --plugin redact-2.wasm
  agenthost plugin replay run.cassette --plugin redact=build/new.wasm`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginReplay(c.Context(), args[0], &flags) },
	}
	c.Flags().StringArrayVar(&flags.plugins, "plugin", nil,
		"use this module: `FILE`, for the plugin of its name or the only one, or NAME=FILE; may be given several times")
	c.Flags().IntSliceVar(&flags.calls, "call", nil, "perform the call of this `number` alone; may be given several times")
	c.Flags().BoolVar(&flags.json, "json", false, "print each call as a line of JSON")
	return c
}

func (a *app) pluginReplay(ctx context.Context, file string, flags *pluginReplay) error {
	r := &replaying{app: a, flags: flags, file: file, others: map[string]string{}, replays: map[*cassette.Plugin]*plugin.Replay{}}
	names, err := r.survey()
	if err == nil {
		err = r.modules(names)
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	r.engine = a.engine(a.logger())
	defer r.close()
	err = r.frames(func(frame *cassette.Frame) error {
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

// replaying is one replay of a cassette.
type replaying struct {
	*app

	flags     *pluginReplay
	file      string
	engine    *plugin.Engine
	others    map[string]string // the modules of --plugin, by the plugin's name
	replays   map[*cassette.Plugin]*plugin.Replay
	truncated bool // the end of the cassette is missing
	performed int
	different int
}

// frames reads the cassette from its beginning. That its end is missing is no error.
func (r *replaying) frames(each func(*cassette.Frame) error) error {
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
			return &exitError{exitUsage, fmt.Errorf("cassette %s: %w", r.file, err)}
		}
		if err := each(frame); err != nil {
			return err
		}
	}
	return nil
}

// survey reads the whole cassette, before anything is performed, and returns the names of its plugins.
func (r *replaying) survey() (names []string, err error) {
	numbers := 0
	err = r.frames(func(frame *cassette.Frame) error {
		numbers = frame.Number
		if !slices.Contains(names, frame.Plugin.Name) {
			names = append(names, frame.Plugin.Name)
		}
		return nil
	})
	for _, number := range r.flags.calls {
		if err == nil && (number < 1 || number > numbers) {
			err = fmt.Errorf("--call: there is no call %d; %s has %d, from 1", number, r.file, numbers)
		}
	}
	return names, err
}

// modules reads --plugin: a file without a name is for the plugin of its name, or for the only one.
func (r *replaying) modules(names []string) error {
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
			return fmt.Errorf("--plugin %s: the recording has no plugin %q; it has %s: say for which it is by NAME=FILE",
				given, name, strings.Join(names, ", "))
		case r.others[name] != "":
			return fmt.Errorf("--plugin: %s and %s are both for the plugin %q", r.others[name], path, name)
		}
		r.others[name] = path
	}
	return nil
}

// module finds the module for a plugin of the recording: one of --plugin, or that with which it was recorded.
func (r *replaying) module(p *cassette.Plugin) (plugin.Wasm, error) {
	w := plugin.Wasm{ID: p.Name, Engine: r.engine, Path: r.others[p.Name]}
	if w.Path != "" {
		return w, nil
	}
	if p.Path == "" {
		return w, errors.New("it was no file when it was recorded; name the module by --plugin FILE")
	}
	w.Path, w.SHA256 = p.Path, p.SHA256
	return w, nil
}

// load loads the module for a plugin of the recording, once.
func (r *replaying) load(ctx context.Context, p *cassette.Plugin) (*plugin.Replay, error) {
	if loaded := r.replays[p]; loaded != nil {
		return loaded, nil
	}
	w, err := r.module(p)
	var loaded *plugin.Replay
	if err == nil {
		loaded, err = plugin.NewReplay(ctx, w, p)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, &exitError{exitInterrupted, nil}
		}
		if w.SHA256 != "" {
			err = fmt.Errorf("%w\n  put the module that was recorded back there, or compare with another one by --plugin FILE", err)
		}
		return nil, &exitError{exitUsage, fmt.Errorf("plugin %q: %s: %w", p.Name, w.Path, err)}
	}
	r.replays[p] = loaded
	return loaded, nil
}

// replayRecord is what is printed of a call.
type replayRecord struct {
	Call         int                   `json:"call"`
	Plugin       string                `json:"plugin"`
	Step         string                `json:"step"`
	Export       string                `json:"export"`
	OK           bool                  `json:"ok"`
	Fuel         uint64                `json:"fuel"`
	RecordedFuel uint64                `json:"recorded_fuel"`
	Fault        *cassette.Fault       `json:"fault,omitempty"` // that the guest made now
	Error        string                `json:"error,omitempty"` // why the call could not be performed
	Differences  []cassette.Difference `json:"differences,omitempty"`
}

// call performs a call and prints what came of it.
func (r *replaying) call(ctx context.Context, frame *cassette.Frame) error {
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
		return &exitError{exitInterrupted, nil}
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

func (r *replaying) print(record *replayRecord) error {
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
	lines := []string{fmt.Sprintf("call %d: %s: %s (%s)", record.Call, docdiff.Clean(record.Step), outcome, fuel)}
	for i := range record.Differences {
		lines = append(lines, record.Differences[i].Lines()...)
	}
	_, err := fmt.Fprintln(r.out, terminal.Text(strings.Join(lines, "\n  ")))
	return err
}

// summary prints what came of all, and decides the exit code.
func (r *replaying) summary() error {
	if !r.flags.json {
		fmt.Fprintf(r.out, "%d calls performed, %d different\n", r.performed, r.different)
	}
	if r.different > 0 {
		return &exitError{exitPlugin, nil}
	}
	return nil
}

// close ends what was loaded; the process ends too.
func (r *replaying) close() {
	for _, loaded := range r.replays {
		_ = loaded.Close()
	}
	_ = r.engine.Close()
}
