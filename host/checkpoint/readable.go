package checkpoint

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tinylib/msgp/msgp"

	"github.com/agenthost/agenthost/abi/wire"
)

// maxPart limits a value in a document: it has the limits of the document, less the depth of what encloses the value.
var maxPart = wire.Limits{MaxBytes: maxDocument.MaxBytes, MaxDepth: maxDocument.MaxDepth - 16, MaxNodes: maxDocument.MaxNodes}

// readable finds data that could not be read again, because refusing to write it is better than a thread that cannot be
// loaded. It finds the same faults as validating the whole document, at a fraction of the cost: most of a document is keys
// and numbers, which cannot be wrong.
type readable struct {
	err  error // the first
	part []byte
}

func (r *readable) report(what string, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("the data cannot be saved: %s: %w", what, err)
	}
}

func (r *readable) texts(what string, texts ...string) {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			r.report(what, fmt.Errorf("%q is not UTF-8", text))
		}
	}
}

func (r *readable) value(what string, value wire.Raw) {
	if !value.IsZero() {
		r.report(what, wire.Validate(value, maxPart))
	}
}

// encoded checks a part that contains many texts and values, by encoding and validating it.
func (r *readable) encoded(what string, part msgp.Marshaler) {
	b, err := part.MarshalMsg(r.part[:0])
	if err == nil {
		r.part, err = b, wire.Validate(b, maxPart)
	}
	r.report(what, err)
}

// whole returns appended, which is b followed by the document, or the error that was found in the document.
func (r *readable) whole(b, appended []byte, err error) ([]byte, error) {
	if r.err == nil && err == nil && len(appended)-len(b) > sure {
		err = wire.Validate(appended[len(b):], maxDocument)
	}
	r.report("the whole record", err)
	if r.err != nil {
		return b, r.err
	}
	return appended, nil
}

// sure is the length in bytes up to which a document cannot exceed the limits, because each value takes at least one byte.
const sure = 1 << 26

func (r *readable) record(record *Record) {
	if record.Parent == 0 && !record.Whole {
		r.report("the record", errors.New("it has no parent and is not whole"))
	}
	r.texts("the step", string(record.Source), record.Step)
	for i := range record.Changes {
		if record.Changes[i].Entry == nil {
			r.texts("the id of a message", record.Changes[i].ID)
		}
	}
	if len(record.State) > 0 {
		r.encoded("the state", record.State)
	}
	r.texts("the name of a field", record.Unset...)
	if record.Program != nil {
		r.encoded("the program", record.Program)
	}
	r.checkpoint(&record.Checkpoint)
}

func (r *readable) checkpoint(c *Checkpoint) {
	r.texts("the run", c.Run.ID, c.Next, c.Trace, c.Cost.Unknown, c.Earlier.Unknown)
	r.texts("the failure", c.Failure)
	for i := range c.Cursors {
		r.texts("the name of a step", c.Cursors[i].Step)
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		r.texts("a question", q.ID, q.Step, q.Message, q.CallID, q.Nested, q.Key, q.AnsweredBy)
		r.value("a question", q.Value)
		r.value("an answer", q.Answer)
	}
	for i := range c.Finished {
		r.encoded("a finished tool call", &c.Finished[i])
	}
	for i := range c.Executions {
		r.execution(&c.Executions[i])
	}
}

func (r *readable) execution(e *Execution) {
	if e.Outcome != nil {
		r.encoded("the execution of a tool", e)
		return
	}
	r.texts("the execution of a tool", e.Message, e.CallID, e.By, e.Within, e.Key, e.Tool)
	r.value("the arguments of a tool", e.Args)
}

// Readable returns an error if a text or value of the execution could not be read again. A store that does not encode
// executions calls it, so that it refuses the same ones as a store that does.
func (e *Execution) Readable() error {
	var r readable
	r.execution(e)
	return r.err
}
