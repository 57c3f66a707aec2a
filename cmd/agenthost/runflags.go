package main

import (
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
)

// runFlags are the flags of the commands that perform a run.
type runFlags struct {
	output string
	quiet  bool
	record string

	thread        string
	checkpoint    uint64
	acceptChanges bool
	wait          time.Duration
	as            string

	runLimits
}

// add adds the flags, but that of the thread.
func (f *runFlags) add(c *cobra.Command) {
	f.addThread(c)
	f.runLimits.add(c)
	c.Flags().StringVarP(&f.output, "output", "o", "text", "what to print: `text` (the answer), json (the result), jsonl (every event)")
	c.Flags().StringVar(&f.record, "record", "", "record all that plugins see and do in a new `file`, for 'plugin replay'; keep it as you keep secrets")
	c.Flags().Uint64Var(&f.checkpoint, "checkpoint", 0, "go on from an older checkpoint of the thread, by its `number`: what followed it stays to be read")
}

// addThread adds the flags that a chat has too.
func (f *runFlags) addThread(c *cobra.Command) {
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	c.Flags().BoolVar(&f.acceptChanges, "accept-changes", false, "go on with a run although the agent was changed since it began")
	c.Flags().DurationVar(&f.wait, "wait", 0, "how long to wait for a thread that is in another run: a `duration` such as 30s")
	c.Flags().StringVar(&f.as, "as", loginName(), "the `name` of who answers, for the thread's history")
}

// check refuses values that cannot be meant, and flags that go with a thread, without one.
func (f *runFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("checkpoint") && f.checkpoint == 0 {
		return &exitError{exitUsage, errors.New("--checkpoint: checkpoints count from 1")}
	}
	if err := f.runLimits.check(c); err != nil {
		return err
	}
	if f.wait < 0 {
		return &exitError{exitUsage, fmt.Errorf("--wait %v: it must not be negative", f.wait)}
	}
	if f.thread != "" {
		return nil
	}
	for _, name := range []string{"thread", "continue", "checkpoint", "accept-changes", "wait"} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed {
			if name == "thread" {
				return &exitError{exitUsage, errors.New("--thread: the name is empty")}
			}
			return &exitError{exitUsage, fmt.Errorf("--%s is about a thread; name it by --thread", name)}
		}
	}
	return nil
}

// input returns the part of an input that the flags say.
func (f *runFlags) input() host.Input {
	return host.Input{Thread: f.thread, Checkpoint: checkpoint.ID(f.checkpoint), AcceptChanges: f.acceptChanges}
}

// command is the command line that goes on with the thread.
func (a *app) command(f *runFlags) question.Command {
	return question.Command{Thread: f.thread, File: a.file, Set: a.set}
}

// loginName is who uses the command; "" if that is not known.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
