package host

import (
	"cmp"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// finished is a tool call of the present step that is done, while others of its response are not: they failed, or wait
// for an answer. Its result stands beside the state until all are done, so that those that run again find what the first
// ones found, and results come in the order of the calls.
type finished struct {
	asked   string // id of the message with the call
	index   int    // of the call in it
	call    string
	message abi.Message
	updates []sourcedUpdate
}

// finish notes the result of a call of the last AI message.
func (r *run) finish(index int, call string, message *abi.Message, updates []sourcedUpdate) {
	r.finished = append(r.finished, finished{r.asking(), index, call, *message, updates})
}

// asking is the id of the last AI message, whose calls the tools step performs; "" if there is none.
func (r *run) asking() string {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return ""
	}
	return messages.Entry(at).Message().ID
}

// stillAbout reports whether a question concerns no tool call, or one that the model still asks for.
func (r *run) stillAbout(q *checkpoint.Question) bool {
	return q.Message == "" || q.Message == r.asking()
}

// stillAsked returns the results whose calls are still those that the model asks for: somebody may have put another message
// in the place of theirs.
func (r *run) stillAsked(calls []checkpoint.Finished) []checkpoint.Finished {
	asking := r.asking()
	return slices.DeleteFunc(slices.Clone(calls), func(f checkpoint.Finished) bool { return f.Asked != asking })
}

// isFinished reports whether a call is done, by itself or because the update of another answers it.
func (r *run) isFinished(call string) bool {
	return slices.ContainsFunc(r.finished, func(f finished) bool { return f.call == call || answerIn(f.updates, call) != nil })
}

// finishedUpdates returns the updates of the calls that are done, in the order of the calls; of the answers alone, or
// with all that came with them.
func (r *run) finishedUpdates(whole bool) []sourcedUpdate {
	slices.SortFunc(r.finished, func(a, b finished) int { return cmp.Compare(a.index, b.index) })
	updates := make([]sourcedUpdate, 0, len(r.finished))
	answers := make([]struct {
		Update
		messages [1]abi.Message
	}, len(r.finished)) // all at once
	for i := range r.finished {
		f, answer := &r.finished[i], &answers[i]
		answer.messages[0] = f.message
		answer.Messages = answer.messages[:]
		updates = append(updates, sourcedUpdate{&answer.Update, ToolsStep})
		if whole {
			updates = append(updates, f.updates...)
		}
	}
	return updates
}

// commitFinished applies the results of the calls that are done. If an update of one of them cannot be applied, that is
// an error, but all answers are kept.
func (r *run) commitFinished() error {
	err := r.commit(ToolsStep, r.finishedUpdates(true))
	if err != nil {
		_ = r.commit(ToolsStep, r.finishedUpdates(false)) // answers have new ids: they can always be appended
	}
	r.dropFinished()
	return err
}

// dropFinished forgets the calls that are done, and keeps the room for those of the next round.
func (r *run) dropFinished() {
	clear(r.finished)
	r.finished = r.finished[:0]
}

// identifyFinished gives ids to the messages of results that stay beside the state: they keep those with which they are
// shown.
func (r *run) identifyFinished() {
	give := func(messages []abi.Message) []abi.Message {
		out := slices.Clone(messages)
		for i := range out {
			if out[i].ID == "" {
				out[i].ID = r.ids.New()
			}
		}
		return out
	}
	for i := range r.finished {
		f := &r.finished[i]
		f.message = give([]abi.Message{f.message})[0]
		f.updates = slices.Clone(f.updates)
		for j, u := range f.updates {
			if len(u.Messages) > 0 {
				named := *u.Update
				named.Messages = give(u.Messages)
				f.updates[j].Update = &named
			}
		}
	}
}

// shown is the state as a result shows it: with the results of calls that are done.
func (r *run) shown() *State {
	if len(r.finished) == 0 {
		return r.state
	}
	state, err := r.withFinished(true)
	if err != nil {
		state, _ = r.withFinished(false)
	}
	return state
}

// withFinished returns the state with the results of calls that are done: of the answers alone, or with all that came
// with them. The run's own state stays as it is.
func (r *run) withFinished(whole bool) (*State, error) {
	base := *r.state
	base.log = r.state.log.Fork()
	return base.commit(r.finishedUpdates(whole), &r.ids)
}

// checkpointResults returns results as a checkpoint holds them.
func checkpointResults(calls []finished) []checkpoint.Finished {
	if len(calls) == 0 {
		return nil
	}
	out := make([]checkpoint.Finished, 0, len(calls))
	for i := range calls {
		c := &calls[i]
		out = append(out, checkpoint.Finished{Asked: c.asked, Index: c.index, CallID: c.call, Message: c.message, Updates: checkpointUpdates(c.updates)})
	}
	return out
}

func checkpointUpdates(updates []sourcedUpdate) (out []checkpoint.Update) {
	for _, u := range updates {
		out = append(out, checkpoint.Update{Step: u.step, Update: u.Update})
	}
	return out
}

// pendingResults returns the results that a checkpoint holds.
func pendingResults(calls []checkpoint.Finished) []finished {
	out := make([]finished, 0, len(calls))
	for i := range calls {
		c := &calls[i]
		out = append(out, finished{asked: c.Asked, index: c.Index, call: c.CallID, message: c.Message, updates: sourcedUpdates(c.Updates)})
	}
	return out
}

func sourcedUpdates(updates []checkpoint.Update) (out []sourcedUpdate) {
	for _, u := range updates {
		out = append(out, sourcedUpdate{u.Update, u.Step})
	}
	return out
}
