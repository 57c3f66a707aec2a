package config

import (
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Storage says where runs, threads and values are kept. Without a key they are in memory, and end with the server.
type Storage struct {
	SQLiteFile string `yaml:"sqlite"`   // the path of an SQLite database, which is created if it is missing
	Postgres   string `yaml:"postgres"` // the URL of a PostgreSQL database; write ${NAME} to keep its password in a variable
}

// CheckStrict checks that there is one store.
func (s *Storage) CheckStrict(n strictyaml.Node) error {
	_, hasSQLite := n.Get("sqlite")
	url, hasPostgres := n.Get("postgres")
	switch {
	case hasSQLite == hasPostgres:
		return n.Errorf("storage needs either sqlite or postgres; leave storage out to keep everything in memory")
	case hasSQLite && s.SQLiteFile == "":
		return n.Errorf("sqlite needs the path of a database")
	case hasPostgres && !strings.HasPrefix(s.Postgres, "postgres://") && !strings.HasPrefix(s.Postgres, "postgresql://"):
		return url.Errorf("postgres must be a URL such as postgres://localhost/agents")
	default:
		return nil
	}
}

// Address returns the database as the flag --storage takes it; "" is the memory of the process.
func (s *Storage) Address() string {
	if s.SQLiteFile != "" {
		return "sqlite:" + s.SQLiteFile
	}
	return s.Postgres
}

// Retention says how long things are kept.
type Retention struct {
	Threads ThreadRetention `yaml:"threads"`                                     // threads without an expiry of their own
	Events  time.Duration   `yaml:"events" strict:"min=1m" schema:"default=24h"` // how long the events of a run can be read again after its end; default 24h
}

// ThreadRetention says when a thread that nobody uses is removed.
type ThreadRetention struct {
	TTL time.Duration `yaml:"ttl" strict:"min=1m"` // the time since its last change; default: it is kept
}

func defaultRetention() Retention { return Retention{Events: 24 * time.Hour} }
