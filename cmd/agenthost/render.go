package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/eventdoc"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// renderer prints the events and the result of a run.
type renderer struct {
	event  func(host.Event) error
	result func(result *host.Result, err error) error
	pause  func() error // ends what is being shown, for a question or for the result
}

// renderer returns the renderer of an output format. At a terminal it shows a run while it goes on.
func (a *app) renderer(output string, quiet bool) (renderer, error) {
	nothing := func(host.Event) error { return nil }
	still := func() error { return nil }
	progress := func(e host.Event) error { return printProgress(a.err, &e) }
	if quiet {
		progress = nothing
	}
	switch output {
	case "text":
		if a.watched && !quiet {
			return a.live(), nil
		}
		return renderer{progress, func(result *host.Result, err error) error {
			if err == nil && result.Status != host.Interrupted { // otherwise there is no answer yet
				_, err = fmt.Fprintln(a.out, terminal.Text(result.Answer()))
				return err
			}
			return nil
		}, still}, nil
	case "json":
		return renderer{progress, func(result *host.Result, err error) error { return printResult(a.out, result, err) }, still}, nil
	case "jsonl":
		version := eventdoc.Version // of the first line
		return renderer{func(e host.Event) error {
			line := eventdoc.Line{Version: version, Event: e}
			version = 0
			return terminal.PrintLine(a.out, line)
		}, func(*host.Result, error) error { return nil }, still}, nil
	default:
		return renderer{}, &exitError{exitUsage, fmt.Errorf("run: --output: there is no format %q; use text, json or jsonl", output)}
	}
}

// live returns the renderer that shows a run while it goes on. From then on, logs and notes pass through its screen, because they must
// not break the line being drawn.
func (a *app) live() renderer {
	a.conversation() // questions write to the terminal itself, and an editor needs it
	screen := &chat.Screen{Answers: a.out, Notes: a.err, Ticks: ticks()}
	a.err = screen
	live := &chat.Live{Screen: screen, Verbose: a.verbose, Streams: true}
	return renderer{live.Event, func(result *host.Result, err error) error {
		if err == nil && result.Status != host.Interrupted { // otherwise there is no answer yet
			return live.Over(result)
		}
		return nil
	}, live.Pause}
}

// tick is the interval at which the progress indicator moves.
const tick = 120 * time.Millisecond

// ticks returns what moves the progress indicator, or nil if the environment asks for none: see https://no-color.org.
func ticks() func() (<-chan time.Time, func()) {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() (<-chan time.Time, func()) {
		ticker := time.NewTicker(tick)
		return ticker.C, ticker.Stop
	}
}

// maxProgress is how many characters of a text a line of progress shows.
const maxProgress = 200

// printProgress prints a line about an event that a waiting person may want to see.
func printProgress(w io.Writer, e *host.Event) error {
	line := progressLine(e)
	if line == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, "· "+text.Clean(line))
	return err
}

// progressLine returns the line to show for an event, or "".
func progressLine(e *host.Event) string {
	switch {
	case e.Type == host.EventTool && len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0:
		return fmt.Sprintf("tool %s %s", e.Call.Name, text.Cut(e.Call.Args.JSON(), maxProgress))
	case e.Type == host.EventTool && len(e.Messages) > 0 && e.Messages[0].Failed():
		return fmt.Sprintf("tool %s returned an error: %s", e.Call.Name, text.Cut(e.Messages[0].Content.Text(), maxProgress))
	case e.Type == host.EventCustom && e.Name == tool.AgentEvent:
		return innerProgressLine(e)
	case e.Type == host.EventCustom:
		return fmt.Sprintf("%s: %s %s", e.Step, e.Name, text.Cut(e.Data.JSON(), maxProgress))
	case (e.Type == host.EventWarn || e.Type == host.EventAlert) && e.Step == "":
		return "warning: " + text.Cut(e.Text, maxProgress)
	case e.Type == host.EventWarn || e.Type == host.EventAlert:
		return fmt.Sprintf("%s: warning: %s", e.Step, text.Cut(e.Text, maxProgress))
	default:
		return ""
	}
}

// innerProgressLine returns the line for an event of an agent that is a tool, after the name of that agent.
func innerProgressLine(e *host.Event) string {
	inner, ok := tool.InnerEventOf(e)
	if !ok {
		return fmt.Sprintf("%s: %s %s", e.Step, e.Name, text.Cut(e.Data.JSON(), maxProgress))
	}
	if line := progressLine(&inner.Event); line != "" {
		return inner.Agent + ": " + line
	}
	return ""
}

// resultDocument is what --output json prints.
type resultDocument struct {
	Run        string           `json:"run"`
	Thread     string           `json:"thread,omitempty"`
	Status     host.Status      `json:"status"`
	Answer     string           `json:"answer"`
	Messages   []abi.Message    `json:"messages"`
	State      wire.Map         `json:"state"`
	Structured wire.Raw         `json:"structured_response,omitzero"`
	Interrupts []host.Interrupt `json:"interrupts,omitempty"`
	Next       string           `json:"next,omitempty"`
	StopReason string           `json:"stop_reason,omitempty"`
	Usage      abi.Usage        `json:"usage"`
	Steps      int              `json:"steps"`
	Error      string           `json:"error,omitempty"`
}

func printResult(w io.Writer, r *host.Result, err error) error {
	doc := resultDocument{
		Run: r.RunID, Thread: r.Thread, Status: r.Status, Answer: r.Answer(), Structured: r.Structured, Messages: r.Messages.Messages(),
		State: r.State, Interrupts: r.Interrupts, Next: r.Next, StopReason: r.StopReason, Usage: r.Usage, Steps: r.Steps,
	}
	if err != nil {
		doc.Error = err.Error()
	}
	return terminal.PrintDocument(w, doc)
}
