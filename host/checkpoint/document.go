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

// DocumentVersion is the version of the documents that this package writes. It reads all earlier versions too.
const DocumentVersion = 1

// document is the stored form of a record. Stores keep the record's id, parent and time beside it.
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

// change is the stored form of a [history.Change].
type change struct {
	Seq     uint64
	Born    uint64
	ID      string // "" if the message contains it
	Removed bool
	Message wire.Raw // nil if there is none
}

// maxDocument limits the documents that stores write and read. It is generous because a record may hold a whole history.
var maxDocument = wire.Limits{MaxBytes: 1 << 30, MaxDepth: 96, MaxNodes: 1 << 26}

// Encode returns the stored form of a record.
func (r *Record) Encode() ([]byte, error) {
	var check readable
	return r.append(make([]byte, 0, 512), &check, func(e *history.Entry) wire.Raw {
		message := e.Encoded()
		check.value("a message", message)
		return message
	})
}

// Pack appends the stored form of a record without its messages, for a store that keeps the messages unencoded. [Unpack]
// needs them back: the entries of Changes that are not nil.
func (r *Record) Pack(b []byte) ([]byte, error) {
	return r.append(b, &readable{}, func(*history.Entry) wire.Raw { return elsewhere })
}

// absent stands for the message of a change that has none.
var absent = wire.Raw{0xc0}

// elsewhere replaces a message that the store keeps beside the document.
var elsewhere = wire.Bool(true)

func (r *Record) append(b []byte, check *readable, message func(*history.Entry) wire.Raw) ([]byte, error) {
	d := document{
		Version: DocumentVersion, Source: string(r.Source), Step: r.Step, Whole: r.Whole, Epoch: r.Cursor.Epoch,
		Seq: r.Cursor.Seq, Messages: r.Messages, State: r.State, Unset: r.Unset, Program: r.Program, Checkpoint: r.Checkpoint,
	}
	var few [2]change // most records have one; those stay off the heap
	if n := len(r.Changes); n > len(few) {
		d.Changes = make([]change, n)
	} else if n > 0 {
		d.Changes = few[:n]
	}
	for i := range r.Changes {
		from := &r.Changes[i]
		d.Changes[i] = change{Seq: from.Seq, Born: from.Born, Removed: from.Removed, Message: absent}
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

// DecodeRecord decodes what this or an earlier version of Encode wrote. The errors are [ErrNewer] and [ErrCorrupt]. The record
// refers to b afterwards.
func DecodeRecord(id, parent ID, at time.Time, b []byte) (*Record, error) {
	return decodeRecord(id, parent, at, b, nil)
}

// Unpack decodes what Pack returned, given the messages that Pack left out.
func Unpack(id, parent ID, at time.Time, doc []byte, messages []*history.Entry) (*Record, error) {
	return decodeRecord(id, parent, at, doc, messages)
}

func decodeRecord(id, parent ID, at time.Time, b []byte, messages []*history.Entry) (*Record, error) {
	corrupt := func(err error) error { return fmt.Errorf("%w: checkpoint %d: %w", ErrCorrupt, id, err) }
	if parent >= id && parent != 0 { // otherwise following the parents might never end
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
		return nil, fmt.Errorf("checkpoint %d has version %d: %w", id, version, ErrNewer)
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

// result returns the stored form of an update.
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

// MarshalMsg appends the encoded update.
func (u Update) MarshalMsg(b []byte) ([]byte, error) {
	b = wire.AppendArrayHeader(b, 2)
	b = wire.AppendString(b, u.Step)
	return u.result().MarshalMsg(b)
}

// UnmarshalMsg decodes what MarshalMsg wrote and returns the remaining bytes.
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

// Msgsize returns the maximum length of the encoding, in bytes.
func (u Update) Msgsize() int { return 8 + len(u.Step) + u.result().Msgsize() }

// Encode returns the stored form of an execution.
func (e *Execution) Encode() ([]byte, error) {
	var check readable
	check.execution(e)
	out, err := e.MarshalMsg(make([]byte, 0, e.Msgsize()))
	return check.whole(nil, out, err)
}

// DecodeExecution decodes what Encode wrote. The error is [ErrCorrupt]. The execution refers to b afterwards.
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

// Journalled merges the executions of a checkpoint with those journalled since, which take precedence.
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
