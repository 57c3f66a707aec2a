package threadstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest/threadstore"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, shown := range map[string]string{
		"memory":                                "memory",
		"sqlite:agent.db":                       "sqlite:/etc/agent/agent.db",
		"sqlite:../agent.db":                    "sqlite:/etc/agent.db",
		"sqlite:/var/lib/agent.db":              "sqlite:/var/lib/agent.db",
		"sqlite:a file: with?signs.db":          "sqlite:/etc/agent/a file: with?signs.db",
		"postgres://ada:s3cret@db:5432/threads": "postgres://db:5432/threads",
		"postgresql://db/threads?sslmode=off":   "postgres://db/threads",
		"postgres://?service=agent":             "postgres://",
	} {
		address, err := threadstore.Parse(text)
		require.NoError(t, err, text)
		require.False(t, address.IsZero())
		require.Equal(t, text == "memory", address.InMemory())
		require.Equal(t, shown, address.In("/etc/agent").String())
	}
	require.True(t, threadstore.Address{}.IsZero())
	require.Equal(t, "none", threadstore.Address{}.String())
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "this kind of store is unknown; use one of memory, sqlite:PATH, postgres://USER@HOST/DATABASE",
		"redis://x":                   "this kind of store is unknown",
		"memory:x":                    "this kind of store is unknown",
		"agent.db":                    "this kind of store is unknown",
		"sqlite":                      "the path of the file is missing; write it as sqlite:agent.db",
		"sqlite:":                     "the path of the file is missing",
		"sqlite://agent.db":           "the path follows the colon, without // before it",
		"sqlite::memory:":             "this store has no file; write it as memory",
		"postgres:host=db":            "the address of a database has the form postgres://USER@HOST/DATABASE",
		"postgres":                    "the address of a database has the form",
		"postgres://db":               "the name of the database is missing",
		"postgres://db/":              "the name of the database is missing",
		"postgres://a:s3cr@t%x@db/db": "this is not a valid URL",
	} {
		_, err := threadstore.Parse(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "s3cr")
	}
}
