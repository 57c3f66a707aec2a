// Package sqlite keeps runs, and what surrounds them, in the SQLite file of a store of threads.
//
// Several processes on one machine may use the file at once. Hints reach only those who listen in the process where something happened:
// others learn it when they look by themselves, as everybody who waits does from time to time.
package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"modernc.org/sqlite"

	threads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/sqlruns"
)

// Store keeps runs in a file. It needs no closing; the file is closed with the store of threads.
type Store struct{ *sqlruns.Store }

// Options configures a store. The zero value is the default.
type Options struct {
	Now func() time.Time // gives the times of rows; nil: the clock of the machine
}

// Open opens the file of a store of threads, and makes missing tables.
func Open(ctx context.Context, file *threads.Store, options Options) (*Store, error) {
	if errRegistered != nil {
		return nil, errRegistered
	}
	store, err := sqlruns.New(ctx, &sqlruns.Config{Database: file.Database(), Dialect: &dialect, Now: options.Now})
	if err != nil {
		return nil, err
	}
	return &Store{store}, nil
}

var dialect = sqlruns.Dialect{
	Micros:   "CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
	Contains: "agenthost_contains(%, ?)",
	In:       "IN (SELECT value FROM json_each(?))",
}

// errRegistered is the error of registering the function. Connections that are opened afterwards have it, so it is registered when the
// program starts.
var errRegistered = sqlite.RegisterDeterministicScalarFunction("agenthost_contains", 2, contains)

// contains is agenthost_contains(metadata, part) in SQL.
func contains(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	metadata, err := object(args[0])
	if err != nil {
		return nil, err
	}
	part, err := object(args[1])
	if err != nil {
		return nil, err
	}
	return metadata.Contains(part), nil
}

func object(value driver.Value) (m runs.Metadata, err error) {
	text, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("agenthost_contains compares texts, not a %T", value)
	}
	return m, json.Unmarshal([]byte(text), &m)
}
