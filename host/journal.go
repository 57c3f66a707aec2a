package host

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// journal is what a run knows of the executions of its tools since the last saved step: what earlier processes began, and
// what this process has learned. It decides which execution of a call a tool's execution is.
type journal struct {
	past []*pastExecution

	mu      sync.Mutex             // guards learned and the marks in past against calls that run at once
	learned []checkpoint.Execution // by this process, in the present step

	// broken means that a note could not be written: this process knows more of the step than a crash would find, so it
	// must not save the step.
	broken atomic.Bool
}

// pastExecution is an execution that an earlier process, or an earlier part of the run, began and that was cut off.
type pastExecution struct {
	checkpoint.Execution

	met  bool // an execution of this process goes on with it
	told bool // a person was asked about it when the hooks around its call asked for another execution
}

// is reports whether an execution of a tool with these arguments may be this one.
func (p *pastExecution) is(tool string, args wire.Raw) bool {
	return p.Tool == tool && bytes.Equal(p.Args, args)
}

func (p *pastExecution) failed() bool { return p.Outcome != nil && p.Outcome.Failed }

// executionKey returns the idempotency key of an execution in a run of a thread.
func executionKey(thread, run string, e *checkpoint.Execution) string {
	var space [128]byte
	b := space[:0]
	for _, part := range [...]string{thread, run, e.Message, e.CallID, strconv.Itoa(e.N)} {
		b = wire.AppendString(b, part)
	}
	sum := sha256.Sum256(b)
	var text [32]byte
	hex.Encode(text[:], sum[:16])
	return string(text[:])
}

// restore takes over the executions that a checkpoint, and the journal after it, hold.
func (j *journal) restore(executions []checkpoint.Execution) {
	for _, e := range executions {
		j.past = append(j.past, &pastExecution{Execution: e})
	}
}

// of returns the past executions of a call, in their order.
func (j *journal) of(message, call string) []*pastExecution {
	past := []*pastExecution{}
	for _, p := range j.past {
		if p.Message == message && p.CallID == call {
			past = append(past, p)
		}
	}
	slices.SortFunc(past, func(a, b *pastExecution) int { return cmp.Compare(a.N, b.N) })
	return past
}

// number decides which execution of its call e is: a past one with the same tool and arguments, if there is one, or a new
// one. It passes over past executions that failed, since whatever follows a failure is another execution. When a hook made
// its call again after such a failure, that was another call with another id.
func (j *journal) number(c *toolCall, e *execution) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.past == nil {
		c.past = j.of(c.message, c.id)
		for _, p := range c.past {
			c.executions = max(c.executions, p.N)
		}
	}
	var failed *pastExecution
	for i, p := range c.past {
		if p.met || !p.is(e.name, e.call.Args) {
			continue
		}
		p.met = true
		if p.failed() || abandoned(p, c.past[i+1:]) && !c.run.questions.askedAbout(&p.Execution) {
			failed = p
			continue
		}
		e.goOn(p)
		return
	}
	if failed != nil && c.by != nil {
		if p := j.repetitionOf(failed); p != nil {
			p.met = true
			e.goOn(p)
			return
		}
	}
	c.executions++
	e.id = checkpoint.Execution{Message: c.message, CallID: c.id, N: c.executions, Tool: e.name, Args: e.call.Args}
	if c.by != nil {
		e.id.By, e.id.Within = c.by.step, c.by.callID
	}
}

// abandoned reports whether the hooks around a call asked for the same execution again after p, which had not ended: it ran out
// of time, and the hooks were told so. later are the executions after p. A person who was asked about p overrides this.
func abandoned(p *pastExecution, later []*pastExecution) bool {
	return p.Outcome == nil && slices.ContainsFunc(later, func(l *pastExecution) bool { return l.is(p.Tool, p.Args) })
}

// repetitionOf finds the execution by which a hook or tool repeated a call of its own that had failed; nil if there is none.
func (j *journal) repetitionOf(failed *pastExecution) (first *pastExecution) {
	for _, p := range j.past {
		sameHook := p.Message == "" && p.By == failed.By && p.Within == failed.Within
		if !sameHook || p.met || p.failed() || p.Started < failed.Started || !p.is(failed.Tool, failed.Args) {
			continue
		}
		if first == nil || p.Started < first.Started {
			first = p
		}
	}
	return first
}

// learn records what a crash would find now, for a checkpoint in the middle of the step.
func (j *journal) learn(e *checkpoint.Execution) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.learned = append(j.learned, *e)
}

// unlearn forgets what tools returned in a call that failed by itself, or with "" in a whole step: a hook or tool that is tried
// again asks for them again. Executions that were cut off in it stay.
func (j *journal) unlearn(message, call string) {
	j.learned = slices.DeleteFunc(j.learned, func(e checkpoint.Execution) bool {
		inside := call == "" || e.Within == call || e.Message == message && e.CallID == call
		return inside && e.Outcome != nil && !e.Outcome.Failed
	})
}

// executions returns what a checkpoint in the middle of a step holds: past executions of calls that are not done, with what
// this process has learned of them.
func (j *journal) executions(done func(call string) bool) []checkpoint.Execution {
	if len(j.past)+len(j.learned) == 0 {
		return nil
	}
	before := checkpoint.Checkpoint{Executions: make([]checkpoint.Execution, 0, len(j.past))}
	for _, p := range j.past {
		before.Executions = append(before.Executions, p.Execution)
	}
	all := checkpoint.Journalled(&before, j.learned)
	return slices.DeleteFunc(all, func(e checkpoint.Execution) bool {
		return e.Message != "" && done(e.CallID) || e.Within != "" && done(e.Within)
	})
}

// mayHaveRun reports whether a tool started for a call and, as far as anybody knows, did not end. done reports which calls are
// done.
func (j *journal) mayHaveRun(message, call string, done func(call string) bool) bool {
	return slices.ContainsFunc(j.executions(done), func(e checkpoint.Execution) bool {
		return e.Message == message && e.CallID == call && e.Outcome == nil
	})
}

// endStep drops what is known of executions in a step that is over. Executions of later steps stay until a step is saved: the
// process that died may have been there. tools says that the step performed the model's calls.
func (j *journal) endStep(tools bool) {
	j.learned = nil
	j.past = slices.DeleteFunc(j.past, func(p *pastExecution) bool {
		return p.met || p.told || tools && p.Message != ""
	})
}

// drop forgets all past executions, and warns of those whose outcome nobody learned.
func (j *journal) drop(warn func(step, text string)) {
	for _, p := range j.past {
		if p.Outcome == nil && !p.met && !p.told {
			warn(cmp.Or(p.By, ToolsStep), fmt.Sprintf(
				"a call of the tool %q was cut off and is not repeated; it is unknown what the call did (%s)", p.Tool, p.Key))
		}
	}
	j.past = nil
}

// tell marks the executions of the model's calls as told: an answer to the call told the model about them.
func (j *journal) tell() {
	for _, p := range j.past {
		p.met = p.met || p.Message != ""
	}
}

// broke reports whether err says that the journal could not be written. No hook and no tool may turn it into anything else.
func (j *journal) broke(err error) bool { return j.broken.Load() && as[*ThreadError](err) }
