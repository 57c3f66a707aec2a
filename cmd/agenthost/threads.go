package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest/threadstore"
)

// threadsFlags say which store is looked at.
type threadsFlags struct {
	store string // "": that of the manifest
}

func (a *app) threadsCommand() *cobra.Command {
	var flags threadsFlags
	c := group(&cobra.Command{
		Use:   "threads",
		Short: "Look at threads, copy and remove them",
		Long: `Look at the threads that a store keeps, copy and remove them. The store is the one that the manifest's
checkpoint names; nothing else of the manifest is looked at. Or it is named by --store, without a
manifest. No plugin is loaded, and no model called.`,
		Example: `  agenthost threads list
  agenthost threads list --store sqlite:agent.db
  agenthost threads show ada
  agenthost threads history ada
  agenthost threads fork ada ada-2 --checkpoint 3
  agenthost threads export ada --output ada.json
  agenthost threads rm ada`,
	})
	c.PersistentFlags().StringVarP(&a.file, "file", "f", "agenthost.yaml", "the manifest")
	c.PersistentFlags().StringVar(&flags.store, "store", "", "the store, in place of the manifest's: `ADDRESS`, sqlite:PATH or postgres://USER@HOST/DATABASE")
	c.MarkFlagsMutuallyExclusive("file", "store")
	c.AddCommand(a.threadsListCommand(&flags), a.threadsShowCommand(&flags), a.threadsHistoryCommand(&flags),
		a.threadsForkCommand(&flags), a.threadsExportCommand(&flags), a.threadsRemoveCommand(&flags))
	return c
}

// address finds the store.
func (a *app) address(flags *threadsFlags) (threadstore.Address, error) {
	if flags.store != "" {
		address, err := threadstore.Parse(flags.store)
		if err != nil {
			return address, fmt.Errorf("--store: %w", err)
		}
		return address, nil
	}
	address, err := manifest.ReadCheckpoint(a.file, manifest.Options{})
	if err != nil {
		return address, a.named(err)
	}
	if address.IsZero() {
		return address, fmt.Errorf("%s: %w\nor name a store by --store", a.file, errNoCheckpoint)
	}
	return address, nil
}

// withStore does something with the store of threads, and closes it.
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

// threadError says what is wrong with a thread, and which command helps.
func (*app) threadError(thread string, err error) error {
	text := fmt.Sprintf("thread %q: ", thread)
	if _, ok := errors.AsType[*exitError](err); ok {
		return err
	}
	code := storeExit(err)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread):
		err = fmt.Errorf("%s%w; 'agenthost threads list' shows those that there are", text, checkpoint.ErrNoThread)
	case errors.Is(err, checkpoint.ErrNoCheckpoint):
		err = fmt.Errorf("%s%w; 'agenthost threads history %s' shows those that there are", text, checkpoint.ErrNoCheckpoint, terminal.Line(thread))
	case errors.Is(err, checkpoint.ErrThreadExists), errors.Is(err, checkpoint.ErrBusy),
		errors.Is(err, checkpoint.ErrCorrupt), errors.Is(err, checkpoint.ErrNewer):
		err = fmt.Errorf("%s%w", text, err)
	}
	return &exitError{code, err}
}
