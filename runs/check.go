package runs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The limits of what a store keeps, in bytes of UTF-8.
const (
	MaxID       = 128     // of an id
	MaxOwner    = 255     // of an owner
	MaxName     = 512     // of a name
	MaxText     = 8 << 10 // of a description, an address or the message of a failure
	MaxWaiting  = 1000    // questions that wait in one thread
	MaxAgents   = 1000    // agents of a worker
	MinExpiry   = time.Second
	LastYear    = 9999 // of a time
	maxWord     = 64   // bytes of a word such as the type of an event
	maxCron     = 256
	maxAttempts = 1<<31 - 1 // so that a position fits into 63 bits
)

// The methods Check return an error that wraps [ErrInvalidValue] if no store can keep the value. Every store calls them first, so that
// all stores refuse the same.

// CheckOwner returns an error that wraps [ErrInvalidValue] if there can be no such owner. Any text up to [MaxOwner] bytes without control
// characters is one.
func CheckOwner(owner string) error { return checkName("the owner", owner, 0, MaxOwner) }

// CheckID returns an error that wraps [ErrInvalidValue] if no row can have the id: it has 1 to [MaxID] letters, digits and characters of
// "-_.:@" in ASCII.
func CheckID(id string) error { return checkID("the id", id) }

func checkID(what, id string) error {
	if id == "" || len(id) > MaxID {
		return fmt.Errorf("%s %s has %d bytes; it must have 1 to %d: %w", what, quoted(id), len(id), MaxID, ErrInvalidValue)
	}
	if at := strings.IndexFunc(id, notOfID); at >= 0 {
		return fmt.Errorf("%s %s contains %q; use ASCII letters, digits and -_.:@ only: %w", what, quoted(id), id[at], ErrInvalidValue)
	}
	return nil
}

func notOfID(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	digit := r >= '0' && r <= '9'
	return !letter && !digit && !strings.ContainsRune("-_.:@", r)
}

func checkName(what, name string, least, most int) error {
	if len(name) < least || len(name) > most {
		return fmt.Errorf("%s %s has %d bytes; it must have %d to %d: %w", what, quoted(name), len(name), least, most, ErrInvalidValue)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%s %s must be UTF-8 without control characters: %w", what, quoted(name), ErrInvalidValue)
	}
	return nil
}

func checkText(what, text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("%s has %d bytes; at most %d are possible: %w", what, len(text), most, ErrInvalidValue)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return fmt.Errorf("%s %s must be UTF-8 without the character 0: %w", what, quoted(text), ErrInvalidValue)
	}
	return nil
}

func quoted(text string) string {
	if len(text) > 2*MaxID {
		return fmt.Sprintf("%.*q…", MaxID, text)
	}
	return fmt.Sprintf("%q", text)
}

func checkDocument(what string, d Document) error {
	switch {
	case len(d) > MaxDocument:
		return fmt.Errorf("%s has %d bytes; at most %d are possible: %w", what, len(d), MaxDocument, ErrInvalidValue)
	case len(d) > 0 && (!utf8.Valid(d) || !json.Valid(d)):
		return fmt.Errorf("%s is not valid JSON in UTF-8: %w", what, ErrInvalidValue)
	}
	return nil
}

func checkTime(what string, t time.Time) error {
	if year := t.UTC().Year(); !t.IsZero() && (t.UnixMicro() <= 0 || year > LastYear) {
		return fmt.Errorf("%s is in the year %d; it must be after 1970-01-01, and before %d: %w", what, year, LastYear+1, ErrInvalidValue)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the thread.
func (t *Thread) Check() error {
	if err := first(
		CheckOwner(t.Owner), checkID("the thread's id", t.ID), t.Metadata.Check(), checkDocument("the thread's configuration", t.Config),
		checkName("the agent", t.Agent, 0, MaxName), checkTime("the thread's last step", t.Stepped), checkWaiting(t.Waiting),
	); err != nil {
		return err
	}
	if !t.Status.valid() && t.Status != "" {
		return fmt.Errorf("the thread's status %s is unknown: %w", quoted(string(t.Status)), ErrInvalidValue)
	}
	if e := t.Expiry; e != nil && e.After < MinExpiry {
		return fmt.Errorf("the thread expires after %v; it must be at least %v: %w", e.After, MinExpiry, ErrInvalidValue)
	}
	return nil
}

func (s ThreadStatus) valid() bool {
	switch s {
	case ThreadIdle, ThreadBusy, ThreadInterrupted, ThreadFailed:
		return true
	default:
		return false
	}
}

func checkWaiting(waiting []Interrupt) error {
	if len(waiting) > MaxWaiting {
		return fmt.Errorf("%d questions wait; at most %d can: %w", len(waiting), MaxWaiting, ErrInvalidValue)
	}
	size := 0
	for i := range waiting {
		w := &waiting[i]
		if err := first(
			checkName("the id of an interrupt", w.ID, 1, MaxName), checkName("the step of an interrupt", w.Step, 0, MaxName),
			checkDocument("the value of an interrupt", w.Value),
		); err != nil {
			return err
		}
		if size += len(w.Value); size > MaxDocument {
			return fmt.Errorf("the questions that wait have more than %d bytes: %w", MaxDocument, ErrInvalidValue)
		}
	}
	return nil
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the run.
func (r *Run) Check() error {
	if err := first(
		CheckOwner(r.Owner), checkID("the run's id", r.ID), checkID("the thread's id", r.Thread), checkName("the agent", r.Agent, 1, MaxName),
		checkName("the assistant", r.Assistant, 0, MaxID), checkDocument("the task", r.Task), checkDocument("the request", r.Request),
		r.Metadata.Check(), checkTime("the time when the run is due", r.Due), checkText("the webhook", r.Webhook, MaxText),
	); err != nil {
		return err
	}
	switch r.Strategy {
	case "", StrategyEnqueue, StrategyReject, StrategyInterrupt, StrategyRollback:
		return nil
	default:
		return fmt.Errorf("the strategy %s is unknown: %w", quoted(string(r.Strategy)), ErrInvalidValue)
	}
}

func (s Status) valid() bool {
	switch s {
	case Pending, Running, Success, Failed, Interrupted, TimedOut:
		return true
	default:
		return false
	}
}

// Check returns an error that wraps [ErrInvalidValue] if a run cannot be cancelled so.
func (c Cancel) Check() error {
	if c != CancelKeep && c != CancelRollback {
		return fmt.Errorf("the way to cancel %s is unknown: %w", quoted(string(c)), ErrInvalidValue)
	}
	return nil
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the event.
func (e *Event) Check() error {
	if err := first(
		checkID("the run's id", e.Run), checkName("the type of an event", e.Type, 1, maxWord), checkDocument("an event", e.Data),
		checkTime("the time of an event", e.Time),
	); err != nil {
		return err
	}
	if a := e.Seq >> 32; a < 1 || a > maxAttempts || e.Seq == FirstSeq(int(a)) {
		return fmt.Errorf("the position %d of an event is not in an attempt: %w", e.Seq, ErrInvalidValue)
	}
	return nil
}

// CheckEvents returns an error that wraps [ErrInvalidValue] if no store can keep one of the events.
func CheckEvents(events []Event) error {
	for i := range events {
		if err := events[i].Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the assistant.
func (a *Assistant) Check() error {
	return first(
		CheckOwner(a.Owner), checkID("the assistant's id", a.ID), checkName("the agent", a.Agent, 1, MaxName),
		checkName("the assistant's name", a.Name, 0, MaxName), checkText("the description", a.Description, MaxText),
		checkDocument("the assistant's configuration", a.Config), checkDocument("the assistant's context", a.Context), a.Metadata.Check(),
	)
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the schedule. What the cron expression and the zone mean is not
// a store's business.
func (s *Schedule) Check() error {
	if err := first(
		CheckOwner(s.Owner), checkID("the schedule's id", s.ID), checkID("the assistant's id", s.Assistant),
		checkName("the cron expression", s.Cron, 1, maxCron), checkName("the time zone", s.Zone, 0, maxWord),
		checkDocument("the request", s.Request), s.Metadata.Check(),
		checkTime("the schedule's end", s.End), checkTime("the schedule's next time", s.Next),
	); err != nil || s.Thread == "" {
		return err
	}
	return checkID("the thread's id", s.Thread)
}

// Check returns an error that wraps [ErrInvalidValue] if there can be no such worker.
func (w *Worker) Check() error {
	if err := checkID("the worker's id", w.ID); err != nil {
		return err
	}
	if len(w.Agents) > MaxAgents {
		return fmt.Errorf("the worker has %d agents; at most %d are possible: %w", len(w.Agents), MaxAgents, ErrInvalidValue)
	}
	for _, agent := range w.Agents {
		if err := checkName("the agent", agent, 1, MaxName); err != nil {
			return err
		}
	}
	if w.Lease <= 0 {
		return fmt.Errorf("the worker's lease is %v; it must be positive: %w", w.Lease, ErrInvalidValue)
	}
	return nil
}

// Check returns an error that wraps [ErrInvalidValue] if a run cannot end so: the status must be one of an end, unless the run is removed, and
// the events must be those of the run.
func (o *Outcome) Check() error {
	if !o.Remove && (!o.Status.Over() || !o.Status.valid()) {
		return fmt.Errorf("a run cannot end with the status %s: %w", quoted(string(o.Status)), ErrInvalidValue)
	}
	for i := range o.Events {
		if o.Events[i].Run != o.Run {
			return fmt.Errorf("an event of the run %s is among those of %s: %w", quoted(o.Events[i].Run), quoted(o.Run), ErrInvalidValue)
		}
	}
	return CheckEvents(o.Events)
}
