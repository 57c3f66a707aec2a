package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// threadsFlags name the store.
type threadsFlags struct {
	store string // "" means the manifest's
}

func (a *app) threadsCommand() *cobra.Command {
	var flags threadsFlags
	c := group(&cobra.Command{
		Use:   "threads",
		Short: "Show, copy and remove threads",
		Long: `Show, copy and remove the threads in a store. The manifest's checkpoint names the store; nothing else
in the manifest is read. --store names a store without a manifest. These commands load no plugin and call
no model.`,
		Example: `  agenthost threads list
  agenthost threads list --store sqlite:agent.db
  agenthost threads show ada
  agenthost threads history ada
  agenthost threads fork ada ada-2 --checkpoint 3
  agenthost threads export ada --output ada.json
  agenthost threads rules ada
  agenthost threads revoke ada 1
  agenthost threads rm ada`,
	})
	a.addFile(c, true)
	c.PersistentFlags().StringVar(&flags.store, "store", "",
		"the `ADDRESS` of the store, instead of the manifest's: sqlite:PATH or postgres://USER@HOST/DATABASE")
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if err := notTogether(c, manifestFlag, "store"); err != nil || flags.store != "" {
			return err
		}
		return a.locate(c)
	}
	c.AddCommand(a.threadsListCommand(&flags), a.threadsShowCommand(&flags), a.threadsHistoryCommand(&flags),
		a.threadsRulesCommand(&flags), a.threadsRevokeCommand(&flags), a.threadsForkCommand(&flags),
		a.threadsExportCommand(&flags), a.threadsRemoveCommand(&flags))
	return c
}

// address returns the address of the store.
func (a *app) address(flags *threadsFlags) (threadstore.Address, error) {
	if flags.store != "" {
		address, err := threadstore.Parse(flags.store)
		switch {
		case errors.Is(err, threadstore.ErrUnknown): // without memory, which no other process can read
			err = errors.New("--store: this kind of store is unknown; use one of " + strings.Join(threadstore.Forms[1:], ", "))
		case err != nil:
			err = fmt.Errorf("--store: %w", err)
		}
		return address, err
	}
	address, err := manifest.ReadCheckpoint(a.file, manifest.Options{})
	if err != nil {
		return address, a.withManifestHint(err)
	}
	if address.IsZero() {
		return address, errortext.Advise(withoutCheckpoint(a.file), "or name a store with --store")
	}
	return address, nil
}

// withStore opens the store of threads, calls do and closes the store.
func (a *app) withStore(ctx context.Context, flags *threadsFlags, do func(checkpoint.Store) error) (err error) {
	address, err := a.address(flags)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	opened, err := address.OpenExisting(ctx)
	if err != nil {
		return &exitError{storeExit(err), err}
	}
	defer func() {
		if closing := opened.Close(); closing != nil {
			err = errors.Join(err, &exitError{exitFailed, closing})
		}
	}()
	return do(opened)
}

// threadError names the thread in an error, and the command that helps.
func (*app) threadError(thread string, err error) error {
	text := fmt.Sprintf("thread %q: ", thread)
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	code := storeExit(err)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		err = fmt.Errorf("%s%w; 'agenthost threads list' shows the threads", text, checkpoint.ErrNoThread)
	case errors.Is(err, checkpoint.ErrNoCheckpoint):
		err = fmt.Errorf("%s%w; 'agenthost threads history %s' shows the checkpoints", text, checkpoint.ErrNoCheckpoint, terminal.Line(thread))
	case errors.Is(err, approval.ErrNoRule):
		err = fmt.Errorf("%s%w; 'agenthost threads rules %s' shows the rules", text, err, terminal.Line(thread))
	case errors.Is(err, checkpoint.ErrThreadExists):
		err = fmt.Errorf("%s%w; choose another name", text, err)
	case errors.Is(err, checkpoint.ErrBusy),
		errors.Is(err, checkpoint.ErrCorrupt), errors.Is(err, checkpoint.ErrNewer):
		err = fmt.Errorf("%s%w", text, err)
	}
	return &exitError{code, err}
}
