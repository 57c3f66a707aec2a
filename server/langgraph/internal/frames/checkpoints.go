package frames

import (
	"fmt"
	"strconv"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// checkpoint shows that the thread was saved.
func (t *Translator) checkpoint(e *host.Event) {
	if !t.want[Checkpoints] && !t.want[Debug] {
		return
	}
	next, tasks := []string{}, []any{}
	if e.Next != "" {
		next = append(next, e.Next)
		id := t.id("next/" + strconv.FormatUint(uint64(e.Checkpoint), 10))
		tasks = append(tasks, map[string]any{"id": id, "name": e.Next, "interrupts": []any{}, "state": nil})
	}
	metadata := t.metadata()
	metadata["source"], metadata["step"], metadata["parents"] = Source(e.Source), int64(e.Checkpoint)-1, struct{}{}
	payload := map[string]any{
		"config": t.place(e.Checkpoint), "parent_config": t.place(e.Parent), "values": t.now, "next": next, "tasks": tasks,
		"metadata": metadata,
	}
	if t.want[Checkpoints] {
		t.emit("checkpoints", payload)
	}
	t.debug(e.Time, "checkpoint", payload)
}

// Source returns why a checkpoint was made, in the words of LangGraph. There, answers to questions make no checkpoint; the one before them is that of
// the step that asked. So nothing but an input is an input to clients that look for the turns of a conversation.
func Source(s checkpoint.Source) checkpoint.Source {
	if s == checkpoint.SourceResume {
		return checkpoint.SourceLoop
	}
	return s
}

// CheckpointID returns the text by which clients name a checkpoint; 0 and [checkpoint.Root] are the empty thread. All texts have one length, because
// clients order checkpoints by them: useStream takes the branch with the greatest one for the newest.
func CheckpointID(id checkpoint.ID) string {
	if id == checkpoint.Root {
		id = 0
	}
	return fmt.Sprintf("%0*d", idDigits, uint64(id))
}

// idDigits is how many digits the greatest id has.
const idDigits = 20

// place returns a checkpoint as LangGraph's config names it; nil if there is none.
func (t *Translator) place(id checkpoint.ID) any {
	if id == 0 {
		return nil
	}
	return map[string]any{"configurable": map[string]any{
		"checkpoint_ns": "", "thread_id": t.config.Run.Thread, "checkpoint_id": CheckpointID(id),
	}}
}
