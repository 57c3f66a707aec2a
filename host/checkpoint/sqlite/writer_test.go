package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/history"
)

// write opens the thread t, saves checkpoints of some size behind what it holds, and closes it.
func write(store *sqlite.Store, times, bytes int) (err error) {
	ctx := context.Background()
	session, err := store.Open(ctx, "t")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	held, err := session.Load(ctx, 0)
	if err != nil {
		return err
	}
	var parent checkpoint.ID
	if held != nil {
		parent = held.ID
	}
	for range times {
		if parent, err = session.Save(ctx, commit(parent, bytes)); err != nil {
			return err
		}
	}
	return nil
}

// commit is one of some size.
func commit(parent checkpoint.ID, bytes int) *checkpoint.Commit {
	state := wire.Map{{Key: "text", Value: wire.String(strings.Repeat("x", bytes))}}
	return &checkpoint.Commit{Record: checkpoint.Record{
		Parent: parent, Whole: parent == 0, Time: time.UnixMilli(1), Cursor: history.Cursor{Epoch: 1}, State: state,
	}}
}

// newest is the newest checkpoint of the thread t, which must be whole.
func newest(store *sqlite.Store) (checkpoint.ID, error) {
	held, err := store.Load(context.Background(), "t", 0)
	if err != nil {
		return 0, err
	}
	return held.ID, nil
}
