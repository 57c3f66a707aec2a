package chat

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
)

// rules lists the rules of the thread that approve tool calls.
func (c *Chat) rules(ctx context.Context) error {
	if c.Threads == nil {
		return notThere("/rules")
	}
	held, err := c.Threads.Load(ctx, c.Thread, 0)
	if errors.Is(err, checkpoint.ErrNoThread) {
		held = &checkpoint.Thread{}
	} else if err != nil {
		return err
	}
	rules, err := threadview.Rules(c.Thread, held.State)
	switch {
	case err != nil:
		return &CommandError{err.Error() + "; /revoke all removes them"}
	case len(rules) == 0:
		c.Screen.Notef("· the thread has no rules; answer 'always' when the agent asks for an approval")
	default:
		c.Screen.Notef("%s", strings.TrimSuffix(threadview.DescribeRules(rules), "\n"))
	}
	return nil
}

// revoke removes a rule of the thread, or all.
func (c *Chat) revoke(ctx context.Context, argument string) error {
	if c.Threads == nil {
		return notThere("/revoke")
	}
	if argument == "all" {
		err := approval.RevokeAll(ctx, c.Threads, c.Thread, time.Now())
		if err != nil && !errors.Is(err, checkpoint.ErrNoThread) {
			return err
		}
		c.Screen.Notef("· the thread has no rules")
		return nil
	}
	n, err := strconv.Atoi(argument)
	if err != nil {
		return &CommandError{"/revoke needs the number of a rule, or the word all; /rules shows the numbers"}
	}
	revoked, err := approval.Revoke(ctx, c.Threads, c.Thread, time.Now(), n)
	switch {
	case errors.Is(err, approval.ErrNoRule), errors.Is(err, checkpoint.ErrNoThread):
		return &CommandError{"/revoke: the thread has no rule " + strconv.Itoa(n) + "; /rules shows the rules"}
	case err != nil:
		return err
	}
	c.Screen.Notef("· calls of %s need approval again", terminal.Line(revoked.Tool))
	return nil
}
