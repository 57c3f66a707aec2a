package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/regularfile"
)

func (a *app) testNewCommand() *cobra.Command {
	var output, description string
	var stubs []string
	c := &cobra.Command{
		Use:   "new FILE [flags]",
		Short: "Make a case of a recorded conversation",
		Long: `Make a case of the events that 'agenthost run --output jsonl' printed, of one or several runs of a thread: the
inputs, the answers to questions, what the model answered as a script, and as what is expected, the tool
calls and the last message of each turn. Look at the case before you commit it: it has the conversation.

--stub names a tool that does not run in the case: its recorded results take its place.`,
		Example: `  agenthost run --output jsonl "which errors are in app.log?" > run.jsonl
  agenthost test new run.jsonl -o tests/errors.yaml
  agenthost test new run.jsonl --stub search --stub send_mail`,
		Args: arguments("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			events, err := readEvents(args[0])
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("test new: %w", err)}
			}
			text, err := cases.FromEvents(events, cases.Options{
				Description: description, Stub: func(tool string) bool { return slices.Contains(stubs, tool) },
			})
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("test new: %s: %w", args[0], err)}
			}
			return a.writeNew(output, text)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this new `FILE`, such as tests/errors.yaml; default: standard output")
	c.Flags().StringVar(&description, "description", "", "the description of the case: a `TEXT`")
	c.Flags().StringArrayVar(&stubs, "stub", nil, "the `NAME` of a tool that does not run in the case; may be repeated")
	return c
}

// writeNew writes a file that is not there yet, or to standard output.
func (a *app) writeNew(output string, text []byte) error {
	if output == "" {
		_, err := a.out.Write(text)
		return err
	}
	if _, err := os.Lstat(output); !errors.Is(err, fs.ErrNotExist) {
		return &exitError{exitUsage, fmt.Errorf("test new: %s is there already and is not overwritten; name another file", output)}
	}
	err := os.MkdirAll(filepath.Dir(output), 0o750)
	if err == nil {
		err = atomicfile.Write(output, text, 0o644)
	}
	if err != nil {
		return &exitError{exitFailed, fmt.Errorf("test new: %w", err)}
	}
	return nil
}

// readEvents reads a file of events, one in each line.
func readEvents(path string) ([]host.Event, error) {
	content, err := regularfile.Read(path, maxRecording)
	if err != nil {
		return nil, regularfile.Unreadable(path, "file", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, maxRecording)
	var events []host.Event
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e host.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Type == "" {
			return nil, fmt.Errorf("%s: line %d is not an event; use a file of 'agenthost run --output jsonl'", path, number)
		}
		events = append(events, e)
	}
	return events, lines.Err()
}
