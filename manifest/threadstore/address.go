// Package threadstore opens the store of threads that an operator names, in a manifest or on the command line: memory,
// sqlite:PATH or postgres://USER@HOST/DATABASE.
package threadstore

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// Address names a store. The zero value names no store.
type Address struct {
	kind   kind
	target string // the path of a SQLite file, the URL of a PostgreSQL database
	lease  time.Duration
	// connections is the maximum number of connections to a server; 0: the store's default.
	connections int
}

type kind int

const (
	none kind = iota
	memoryKind
	sqliteKind
	postgresKind
)

// Forms are the forms of addresses for errors and help texts.
var Forms = []string{"memory", "sqlite:PATH", "postgres://USER@HOST/DATABASE"}

// ErrUnknown means that an address does not have one of the [Forms].
var ErrUnknown = errors.New("this kind of store is unknown; use one of " + strings.Join(Forms, ", "))

// Parse reads an address. Its errors do not contain the address, which may have a password.
func Parse(text string) (Address, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case text == "memory":
		return Address{kind: memoryKind}, nil
	case scheme == "sqlite":
		return Address{kind: sqliteKind, target: rest}, checkPath(rest)
	case scheme == "postgres", scheme == "postgresql":
		return Address{kind: postgresKind, target: text}, checkURL(text)
	default:
		return Address{}, ErrUnknown
	}
}

func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("the path of the file is missing; write it as sqlite:agent.db")
	case strings.HasPrefix(path, "//"):
		return errors.New("the path follows the colon, without // before it; write it as sqlite:agent.db or sqlite:/var/lib/agent.db")
	case path == ":memory:":
		return errors.New("this store has no file; write it as memory")
	default:
		return nil
	}
}

func checkURL(text string) error {
	address, err := url.Parse(text)
	switch {
	case err != nil: // the error contains the address
		return errors.New("this is not a valid URL; write it as " + Forms[2] + ", with %40 for an @ in a password")
	case !strings.Contains(text, "://"):
		return errors.New("the address of a database has the form " + Forms[2])
	case strings.Trim(address.Path, "/") == "" && !address.Query().Has("dbname") && !address.Query().Has("service"):
		return errors.New("the name of the database is missing; write it as " + Forms[2])
	default:
		return nil
	}
}

// IsZero reports whether the address names no store.
func (a Address) IsZero() bool { return a.kind == none }

// InMemory reports whether the store lives only as long as the process.
func (a Address) InMemory() bool { return a.kind == memoryKind }

// In returns the address for a path that is relative to a directory.
func (a Address) In(dir string) Address {
	if a.kind == sqliteKind && !filepath.IsAbs(a.target) {
		a.target = filepath.Join(dir, a.target)
	}
	return a
}

// WithLease returns the address for a store in which a thread is free this long after its process died; 0: the store's default. A store in
// memory has no leases.
func (a Address) WithLease(lease time.Duration) Address {
	a.lease = lease
	return a
}

// WithConnections returns the address for a store that opens at most so many connections to a server; 0: the store's default.
func (a Address) WithConnections(most int) Address {
	a.connections = most
	return a
}

// String returns the address without its password.
func (a Address) String() string {
	switch a.kind {
	case memoryKind:
		return "memory"
	case sqliteKind:
		return "sqlite:" + a.target
	case postgresKind:
		if address, err := url.Parse(a.target); err == nil {
			return fmt.Sprintf("postgres://%s%s", address.Host, address.Path)
		}
		return "postgres"
	default:
		return "none"
	}
}
