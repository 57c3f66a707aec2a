package checkpoint

//go:generate msgp -io=false -tests=false -file=checkpoint.go -o=checkpoint_gen.go
//go:generate msgp -io=false -tests=false -file=document.go -o=document_gen.go -unexported

import (
	"fmt"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

//msgp:tag msgpack
//msgp:tuple change

// DocumentVersion is the version of the documents that are written. Those of all versions before it can be read.
const DocumentVersion = 1

// document is the form in which stores keep a record; its id, parent and time stand beside it. Its keys are short: there is
// one for each message.
type document struct {
	Version    int        `msgpack:"v"`
	Source     string     `msgpack:"src"`
	Step       string     `msgpack:"step,omitempty"`
	Whole      bool       `msgpack:"whole,omitempty"`
	Changes    []change   `msgpack:"log,omitempty"`
	Epoch      uint64     `msgpack:"ep"`
	Seq        uint64     `msgpack:"seq"`
	Messages   int        `msgpack:"n"`
	State      wire.Map   `msgpack:"set,omitzero"`
	Unset      []string   `msgpack:"unset,omitempty"`
	Program    *Program   `msgpack:"prog,omitempty"`
	Checkpoint Checkpoint `msgpack:"at"`
}

// change is the form of a [history.Change].
type change struct {
	Seq     uint64
	Born    uint64
	ID      string // "" where the message has it
	Removed bool
	Message wire.Raw // nil: none
}

// maxDocument are the limits of what is written to a store and read from it: a record may hold a whole history.
var maxDocument = wire.Limits{MaxBytes: 1 << 30, MaxDepth: 96, MaxNodes: 1 << 26}

// Encode returns the form of a record in which stores keep it.
func (r *Record) Encode() ([]byte, error) {
	var check readable
	return r.append(make([]byte, 0, 512), &check, func(e *history.Entry) wire.Raw {
		message := e.Encoded()
		check.value("a message", message)
		return message
	})
}

// Pack appends the form of a record without its messages, for a store that keeps these as they are: [Unpack] wants the
// entries of Changes that are not nil.
func (r *Record) Pack(b []byte) ([]byte, error) {
	return r.append(b, &readable{}, func(*history.Entry) wire.Raw { return elsewhere })
}

// elsewhere stands for a message that is kept beside the document.
var elsewhere = wire.Bool(true)

func (r *Record) append(b []byte, check *readable, message func(*history.Entry) wire.Raw) ([]byte, error) {
	d := document{
		Version: DocumentVersion, Source: string(r.Source), Step: r.Step, Whole: r.Whole, Epoch: r.Cursor.Epoch,
		Seq: r.Cursor.Seq, Messages: r.Messages, State: r.State, Unset: r.Unset, Program: r.Program, Checkpoint: r.Checkpoint,
	}
	if len(r.Changes) > 0 {
		d.Changes = make([]change, len(r.Changes))
	}
	for i := range r.Changes {
		from := &r.Changes[i]
		d.Changes[i] = change{Seq: from.Seq, Born: from.Born, Removed: from.Removed, Message: wire.Raw{0xc0}}
		if from.Entry == nil {
			d.Changes[i].ID = from.ID
		} else {
			d.Changes[i].Message = message(from.Entry)
		}
	}
	check.record(r)
	out, err := d.MarshalMsg(b)
	return check.whole(b, out, err)
}

// DecodeRecord reads what Encode has written, this version of it or an earlier one. The errors are [ErrNewer] and
// [ErrCorrupt]. The record keeps b.
func DecodeRecord(id, parent ID, at time.Time, b []byte) (*Record, error) {
	return decodeRecord(id, parent, at, b, nil)
}

// Unpack reads what Pack has returned.
func Unpack(id, parent ID, at time.Time, doc []byte, messages []*history.Entry) (*Record, error) {
	return decodeRecord(id, parent, at, doc, messages)
}

func decodeRecord(id, parent ID, at time.Time, b []byte, messages []*history.Entry) (*Record, error) {
	corrupt := func(err error) error { return fmt.Errorf("%w: checkpoint %d: %w", ErrCorrupt, id, err) }
	if parent >= id && parent != 0 { // whoever follows parents would not come to an end
		return nil, corrupt(&abi.DocumentError{Document: "checkpoint", Reason: fmt.Sprintf("its parent is %d, which is not before it", parent)})
	}
	if err := wire.Validate(b, maxDocument); err != nil {
		return nil, corrupt(err)
	}
	var all wire.Map
	if _, err := all.UnmarshalMsg(b); err != nil {
		return nil, corrupt(err)
	}
	if version, ok := all.Get("v").AsInt(); !ok {
		return nil, corrupt(&abi.DocumentError{Document: "checkpoint", Reason: "it states no version"})
	} else if version > DocumentVersion {
		return nil, fmt.Errorf("checkpoint %d has the version %d: %w", id, version, ErrNewer)
	}
	var d document
	if _, err := d.UnmarshalMsg(b); err != nil {
		return nil, corrupt(err)
	}
	r := &Record{
		ID: id, Parent: parent, Time: at, Source: Source(d.Source), Step: d.Step, Whole: d.Whole,
		Cursor: history.Cursor{Epoch: d.Epoch, Seq: d.Seq}, Messages: d.Messages, State: d.State, Unset: d.Unset,
		Program: d.Program, Checkpoint: d.Checkpoint, Changes: make([]history.Change, len(d.Changes)),
	}
	for i := range d.Changes {
		from, to := &d.Changes[i], &r.Changes[i]
		*to = history.Change{Seq: from.Seq, Born: from.Born, ID: from.ID, Removed: from.Removed}
		switch {
		case from.Message.IsNil():
			continue
		case from.Message.Equal(elsewhere) && len(messages) > 0:
			to.Entry, messages = messages[0], messages[1:]
		default:
			var err error
			if to.Entry, err = history.DecodeEntry(from.Message); err != nil {
				return nil, corrupt(err)
			}
		}
		to.ID = to.Entry.Message().ID
	}
	return r, nil
}

// result is the form of an update.
func (u Update) result() *abi.Result {
	r := &abi.Result{}
	if u.Update != nil {
		*r = abi.Result{
			JumpTo: string(u.Update.JumpTo), Messages: u.Update.Messages, Overwrite: u.Update.Overwrite,
			Patch: u.Update.Patch, Remove: u.Update.Remove, State: u.Update.State,
		}
	}
	return r
}

// MarshalMsg appends the update's form.
func (u Update) MarshalMsg(b []byte) ([]byte, error) {
	b = wire.AppendArrayHeader(b, 2)
	b = wire.AppendString(b, u.Step)
	return u.result().MarshalMsg(b)
}

// UnmarshalMsg reads what MarshalMsg has written and returns what follows it.
func (u *Update) UnmarshalMsg(b []byte) ([]byte, error) {
	both, rest, err := wire.Cut(b)
	if err != nil {
		return b, err
	}
	items, ok := both.Items()
	if !ok || len(items) != 2 {
		return b, &abi.DocumentError{Document: "update", Reason: "it is not a pair of step and result"}
	}
	if u.Step, ok = items[0].AsString(); !ok {
		return b, &abi.DocumentError{Document: "update", Reason: "its step is not a text"}
	}
	var r abi.Result
	if _, err := r.UnmarshalMsg(items[1]); err != nil {
		return b, err
	}
	update := r.Update()
	u.Update = &update
	return rest, nil
}

// Msgsize returns how long the form may become, in bytes.
func (u Update) Msgsize() int { return 8 + len(u.Step) + u.result().Msgsize() }

// Encode returns the form of an execution in which stores keep it.
func (e *Execution) Encode() ([]byte, error) {
	var check readable
	check.execution(e)
	out, err := e.MarshalMsg(make([]byte, 0, e.Msgsize()))
	return check.whole(nil, out, err)
}

// DecodeExecution reads what Encode has written. The error is [ErrCorrupt]. The execution keeps b.
func DecodeExecution(b []byte) (*Execution, error) {
	e := &Execution{}
	err := wire.Validate(b, maxDocument)
	if err == nil {
		_, err = e.UnmarshalMsg(b)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the journal: %w", ErrCorrupt, err)
	}
	return e, nil
}

// Journalled returns the executions of a checkpoint with what was journalled since, which wins.
func Journalled(c *Checkpoint, since []Execution) []Execution {
	out := slices.Clone(c.Executions)
	for i := range since {
		if at := slices.IndexFunc(out, func(e Execution) bool { return e.Same(&since[i]) }); at >= 0 {
			out[at] = since[i]
		} else {
			out = append(out, since[i])
		}
	}
	return out
}
