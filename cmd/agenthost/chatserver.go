package main

import (
	"cmp"
	"context"
	"iter"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/server/client"
)

// useServer lets the chat use the agent of a server.
func (c *chatSession) useServer() {
	c.chat.Agent, c.chat.List = c.remote, c.listThreads
	c.chat.Model = cmp.Or(c.flags.model, "chosen by the server")
	c.chat.SwitchModel = func(_ context.Context, name string) (string, error) {
		c.flags.model = name
		return name, nil
	}
}

// listThreads yields the threads of the server that were changed last.
func (c *chatSession) listThreads(ctx context.Context) iter.Seq2[threadview.Summary, error] {
	return func(yield func(threadview.Summary, error) bool) {
		threads, err := c.remote.Threads(ctx, chat.MaxThreads+1)
		if err != nil {
			yield(threadview.Summary{}, err)
			return
		}
		for i := range threads {
			t := &threads[i]
			messages, _ := t.Values.Get("messages").Items()
			summary := threadview.Summary{
				Thread: t.Name, State: stateOf(t.Status), Waiting: len(t.Interrupts), Messages: len(messages), Updated: t.Updated,
			}
			if !yield(summary, nil) {
				return
			}
		}
	}
}

// stateOf returns the word that this machine's threads have for the status of a server's thread.
func stateOf(status string) checkpoint.State {
	switch status {
	case client.ThreadInterrupted:
		return checkpoint.Waiting
	case client.ThreadError:
		return checkpoint.Failed
	case client.ThreadBusy:
		return checkpoint.Running
	default:
		return checkpoint.Done
	}
}
