package builtin

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/client"
)

// notificationKey is the key in the meta of a notification. Its value says which task it is about.
const notificationKey = "deepagents_notification"

const (
	maxNotified = 80_000 // characters of the result or the details in a notification, before some are escaped
	// maxExtraTurns is how many notifications of one turn of the user may give the model another turn: a server could report one change
	// after the other.
	maxExtraTurns = 32
)

// beforeModel adds the news of tasks before a model call.
func (c *remoteCrew) beforeModel(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	return c.pull(ctx, rt)
}

// afterModel gives the model another turn if there is news after its final answer.
func (c *remoteCrew) afterModel(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	last, ok := messages.Last()
	if !ok || len(last.ToolCalls) > 0 {
		return nil, nil
	}
	if left, limited := rt.ModelStepsLeft(); limited && left == 0 || notifications(messages) >= maxExtraTurns {
		return nil, nil // the next run reports the news
	}
	update, err := c.pull(ctx, rt)
	if update != nil && len(update.Messages) > 0 {
		update.JumpTo = abi.JumpModel
	}
	return update, err
}

// notifications counts the notifications since the user last said something.
func notifications(messages history.List) int {
	n := 0
	for i := messages.Len() - 1; i >= 0; i-- {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleHuman {
			if !m.Meta.Has(notificationKey) {
				break
			}
			n++
		}
	}
	return n
}

// pull looks at unfinished tasks. The update has the tasks that have changed, and a notification of each new outcome. Outcomes that
// the model has seen, in an answer of a tool or in an earlier notification, are in the state and not reported again.
func (c *remoteCrew) pull(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	tasks, err := tasksIn(rt.State())
	if err != nil {
		return nil, err
	}
	unfinished := tasks[:0]
	for i := range tasks {
		if !tasks[i].final() {
			unfinished = append(unfinished, tasks[i])
		}
	}
	if len(unfinished) == 0 {
		return nil, nil
	}
	found := make([]look, len(unfinished))
	notices := make([]*abi.Message, len(unfinished))
	c.observeAll(ctx, rt, unfinished, func(i int, o *observation) {
		t := &unfinished[i]
		found[i] = o.look()
		if next := nextSteps[found[i].status]; found[i].status != t.Status && next != "" {
			notices[i] = o.notification(t, found[i].status, next)
		}
	})
	var changed []asyncTask
	var news []abi.Message
	for i := range unfinished {
		if notices[i] != nil {
			news = append(news, *notices[i])
		}
		if found[i] != (look{}) && found[i].news(&unfinished[i]) {
			changed = append(changed, unfinished[i].observed(rt, found[i]))
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	update, err := taskUpdate(changed...)
	if update != nil {
		update.Messages = news
	}
	return update, err
}

// notification returns the message that tells the model about a task. Its parts are blocks, so that an image of a result stays one.
func (o *observation) notification(t *asyncTask, status, next string) *abi.Message {
	blocks := []abi.Block{abi.TextBlock(notificationStart + "<task-notification>\n<task-id>" + escaped(t.TaskID) + "</task-id>\n<agent-name>" +
		escaped(t.AgentName) + "</agent-name>\n<status>" + escaped(status) + "</status>\n")}
	switch status {
	case client.Success:
		blocks = append(blocks, abi.TextBlock("<result>\n"))
		blocks = append(blocks, cutBlocks(finalContent(o.thread).Blocks())...)
		blocks = append(blocks, abi.TextBlock("\n</result>\n"))
	case client.Failed:
		blocks = append(blocks, details("error", wire.String("The subagent failed.")))
	case taskWaiting:
		blocks = append(blocks, details("interrupts", interruptsIn(o.thread)))
	}
	event := wire.Map{
		{Key: "agent_name", Value: wire.String(t.AgentName)},
		{Key: "run_id", Value: wire.String(o.run.ID)},
		{Key: "status", Value: wire.String(status)},
		{Key: "task_id", Value: wire.String(t.TaskID)},
	}
	return &abi.Message{
		Role: abi.RoleHuman, Content: abi.Blocks(append(blocks, abi.TextBlock("</task-notification>\n"+next))...),
		Meta: wire.Map{{Key: notificationKey, Value: event.Raw()}},
	}
}

// cutBlocks escapes the texts of a result, and leaves out what follows after the most characters that a notification has.
func cutBlocks(result []abi.Block) (kept []abi.Block) {
	left := maxNotified
	for _, block := range result {
		if block.IsMedia() {
			kept = append(kept, block)
			continue
		}
		said := block.Text()
		kept = append(kept, abi.TextBlock(escaped(cutNews(said, left))))
		if left -= utf8.RuneCountInString(said); left < 0 {
			break
		}
	}
	return kept
}

func details(key string, value wire.Raw) abi.Block {
	return abi.TextBlock("<details>" + escaped(cutNews(spacedObject([]wire.Pair{{Key: key, Value: value}}), maxNotified)) + "</details>\n")
}

// markup escapes what could close the tags of a notification.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escaped(said string) string { return markup.Replace(said) }

func cutNews(said string, most int) string {
	if first := text.First(said, most); len(first) < len(said) {
		return first + cutOff
	}
	return said
}
