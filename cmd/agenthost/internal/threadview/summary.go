package threadview

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Unreadable is the state of a thread whose newest checkpoint cannot be read. Older ones may be readable.
const Unreadable checkpoint.State = "unreadable"

// Summary is a thread in a list.
type Summary struct {
	Thread     string           `json:"thread"`
	State      checkpoint.State `json:"state"`
	Next       string           `json:"next,omitempty"`      // the next step; "" if there is none
	Waiting    int              `json:"waiting,omitempty"`   // number of interrupts that wait for an answer
	Failure    string           `json:"failure,omitempty"`   // why the run failed; "" if it did not
	Cancelled  bool             `json:"cancelled,omitempty"` // the run did not fail by itself: it was cancelled, such as by Ctrl-C
	Messages   int              `json:"messages"`
	Checkpoint checkpoint.ID    `json:"checkpoint"` // the newest one
	Created    time.Time        `json:"created"`
	Updated    time.Time        `json:"updated"`
}

func summaryOf(info *checkpoint.Info) Summary {
	if info.Err != nil {
		return Summary{
			Thread: info.Thread, State: Unreadable, Failure: info.Err.Error(), Checkpoint: info.Head, Created: info.Created, Updated: info.Updated,
		}
	}
	c := &info.Newest
	return Summary{
		Thread: info.Thread, State: info.State, Next: c.Next, Waiting: len(c.Waiting()), Failure: c.Failure, Cancelled: c.Cancelled,
		Messages: info.Messages, Checkpoint: info.Head, Created: info.Created, Updated: info.Updated,
	}
}

// Summaries yields the threads of a store that a query selects, in the order of their names.
func Summaries(ctx context.Context, s checkpoint.Store, q checkpoint.Query) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		for info, err := range checkpoint.AllThreads(ctx, s, q) {
			if err != nil {
				yield(Summary{}, err)
				return
			}
			if !yield(summaryOf(info), nil) {
				return
			}
		}
	}
}

// Find returns the thread with a name, or [checkpoint.ErrNoThread].
func Find(ctx context.Context, s checkpoint.Store, thread string) (Summary, error) {
	if err := checkpoint.CheckName(thread); err != nil {
		return Summary{}, err
	}
	infos, err := s.Find(ctx, checkpoint.Query{Prefix: thread, Limit: 1}) // the name itself sorts before those that begin with it
	switch {
	case err != nil:
		return Summary{}, err
	case len(infos) == 0 || infos[0].Thread != thread:
		return Summary{}, fmt.Errorf("thread %q: %w", thread, checkpoint.ErrNoThread)
	default:
		return summaryOf(&infos[0]), nil
	}
}

// PrintTable prints threads as a table.
func PrintTable(w io.Writer, threads []Summary) error {
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "THREAD\tMESSAGES\tUPDATED\tSTATE\tNEXT")
	for i := range threads {
		t := &threads[i]
		state := string(t.State)
		switch {
		case t.State == checkpoint.Waiting:
			state = fmt.Sprintf("%s (%d)", state, t.Waiting)
		case t.State == checkpoint.Stopped && t.Cancelled:
			state += " (cancelled)"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", terminal.Line(t.Thread), t.Messages, moment(t.Updated), state, terminal.Line(t.Next))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
