package runs

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/text"
)

// The methods Copy return what a store gives back: it shares nothing with the row, its times are in UTC and have whole microseconds, its
// metadata is not nil, and documents without a text are.

// Copy returns a copy that shares nothing with the thread, as stores return it.
func (t *Thread) Copy() *Thread {
	out := *t
	out.Metadata, out.Config, out.Failure = t.Metadata.copied(), copyDocument(t.Config), t.Failure.Copy()
	out.Waiting = nil
	if t.Status == ThreadInterrupted && len(t.Waiting) > 0 {
		out.Waiting = slices.Clone(t.Waiting)
		for i := range out.Waiting {
			if out.Waiting[i].Value = copyDocument(out.Waiting[i].Value); out.Waiting[i].Value == nil {
				out.Waiting[i].Value = Document("null")
			}
		}
	}
	out.Created, out.Updated, out.Stepped = Moment(t.Created), Moment(t.Updated), Moment(t.Stepped)
	if t.Expiry != nil {
		e := *t.Expiry
		out.Expiry = &e
	}
	return &out
}

// Copy returns a copy that shares nothing with the run, as stores return it.
func (r *Run) Copy() *Run {
	out := *r
	out.Task, out.Request, out.Metadata, out.Failure = copyDocument(r.Task), copyDocument(r.Request), r.Metadata.copied(), r.Failure.Copy()
	out.Created, out.Updated, out.Due = Moment(r.Created), Moment(r.Updated), Moment(r.Due)
	return &out
}

// Copy returns a copy that shares nothing with the assistant, as stores return it.
func (a *Assistant) Copy() *Assistant {
	out := *a
	out.Config, out.Context, out.Metadata = copyDocument(a.Config), copyDocument(a.Context), a.Metadata.copied()
	out.Created, out.Updated = Moment(a.Created), Moment(a.Updated)
	return &out
}

// Copy returns a copy that shares nothing with the schedule, as stores return it.
func (s *Schedule) Copy() *Schedule {
	out := *s
	out.Request, out.Metadata = copyDocument(s.Request), s.Metadata.copied()
	out.End, out.Next, out.Created, out.Updated = Moment(s.End), Moment(s.Next), Moment(s.Created), Moment(s.Updated)
	return &out
}

// Copy returns a copy that shares nothing with the event, as stores return it.
func (e *Event) Copy() *Event {
	out := *e
	out.Data, out.Time = copyDocument(e.Data), Moment(e.Time)
	return &out
}

// Moment returns a time as stores keep it: in UTC and in whole microseconds. The zero time stays as it is.
func Moment(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

func copyDocument(d Document) Document {
	if len(d) == 0 {
		return nil
	}
	return bytes.Clone(d)
}

// Copy returns a copy that every store can keep: an error may hold any bytes, and must not keep a run from ending.
func (f *Failure) Copy() *Failure {
	if f == nil {
		return nil
	}
	return &Failure{Type: anyText(f.Type), Message: anyText(f.Message)}
}

func anyText(s string) string {
	return text.Head(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD"), MaxText)
}
