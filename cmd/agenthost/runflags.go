package main

import (
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// runFlags holds the flags of the commands that perform a run.
type runFlags struct {
	output string
	quiet  bool
	record string

	thread        string
	checkpoint    uint64
	acceptChanges bool
	giveUp        bool
	wait          time.Duration
	as            string

	context objectFlag
	state   objectFlag // of agenthost run

	server serverFlags

	pull       bool // fetch plugins before the run
	registries registryFlags

	runLimits
	attachments
}

// add adds all flags except --thread.
func (f *runFlags) add(c *cobra.Command) {
	f.addThread(c)
	f.runLimits.add(c)
	c.Flags().StringVarP(&f.output, "output", "o", "text", "the output `FORMAT`: text (the answer), json (the result) or jsonl (every event)")
	c.Flags().StringVar(&f.record, "record", "", "record everything that plugins see and do in a new `FILE`, for 'plugin replay'; treat the file as a secret")
	c.Flags().Uint64Var(&f.checkpoint, "checkpoint", 0, "continue from the checkpoint with this `NUMBER`; later checkpoints remain in the history")
}

// addPull adds the flags that fetch plugins before the run.
func (f *runFlags) addPull(c *cobra.Command) {
	c.Flags().BoolVar(&f.pull, "pull", false, "fetch plugins of registries that are not on this machine")
	f.registries.add(c)
}

// addThread adds the flags that chat shares.
func (f *runFlags) addThread(c *cobra.Command) {
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not print progress to standard error")
	c.Flags().BoolVar(&f.acceptChanges, "accept-changes", false, "continue a run even if the agent has changed since the run started")
	f.context.add(c, "context", "the run's context")
	c.Flags().DurationVar(&f.wait, "wait", 0, "how long to wait while another run has the thread open: a `DURATION` such as 30s")
	c.Flags().StringVar(&f.as, "as", loginName(), "the `NAME` of the person who answers, for the thread's history")
}

// check refuses invalid values, and flags that need a thread if there is none.
func (f *runFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("checkpoint") && f.checkpoint == 0 {
		return &exitError{exitUsage, errors.New("--checkpoint 0: there is no such checkpoint; the first one is 1")}
	}
	if err := f.runLimits.check(c, f.server.url != ""); err != nil {
		return err
	}
	for _, object := range []*objectFlag{&f.context, &f.state} {
		if err := object.read(); err != nil {
			return &exitError{exitUsage, err}
		}
	}
	if f.wait < 0 {
		return &exitError{exitUsage, fmt.Errorf("--wait %v: the duration must not be negative", f.wait)}
	}
	if f.thread != "" {
		return nil
	}
	for _, name := range []string{"thread", "continue", "checkpoint", "accept-changes", "wait", "give-up"} {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed {
			if name == "thread" {
				return &exitError{exitUsage, errors.New("--thread: the name is empty; give the thread a name")}
			}
			return &exitError{exitUsage, fmt.Errorf("--%s needs a thread; name one with --thread", name)}
		}
	}
	return nil
}

// input returns what the flags say about the input of a run.
func (f *runFlags) input() host.Input {
	return host.Input{Thread: f.thread, Checkpoint: checkpoint.ID(f.checkpoint), AcceptChanges: f.acceptChanges, State: f.state.value}
}

// loginName returns the name of the user, or "" if it is unknown.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
