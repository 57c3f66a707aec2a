package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/terminal"
)

// recording performs a run and records its plugins in a new file.
func (a *app) recording(path string, quiet bool, run func() error) error {
	w, err := cassette.Create(path)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--record: %w", err)}
	}
	a.recorder = w
	err = run()
	closing, calls := w.Close(), w.Calls()
	switch {
	case closing != nil:
		return errors.Join(err, &exitError{exitFailed, fmt.Errorf("--record: the recording is incomplete: %w", closing)})
	case calls == 0:
		_ = os.Remove(path) // an empty recording would only be in the way
		fmt.Fprintln(a.err, "· no plugin was called, so nothing was recorded")
	case !quiet:
		fmt.Fprintf(a.err, "· recorded %s in %s\n", counted(calls, "call"), terminal.Line(path))
	}
	return err
}

// maxRecording is the size of the largest recording that a command reads, in bytes.
const maxRecording = 64 << 20
