package postgres_test

import (
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

// as is an address with something of it changed.
func as(t *testing.T, address string, change func(u *url.URL)) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	change(u)
	return u.String()
}

// user makes a user and returns the address for it. The server is one that all tests share, and users are the server's:
// "user@database" is a name of one database.
func user(t *testing.T, address, name, more string) string {
	t.Helper()
	if name != pgtest.Careful {
		name += "@" + as(t, address, func(u *url.URL) { *u = url.URL{Path: u.Path[1:]} })
	}
	admin := connect(t, address)
	exec(t, admin, `DROP ROLE IF EXISTS "`+name+`"`)
	exec(t, admin, `CREATE ROLE "`+name+`" LOGIN `+more)
	return as(t, address, func(u *url.URL) { u.User = url.UserPassword(name, "secret") })
}

func TestADatabaseThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		address func(t *testing.T) string
		is      error
		text    string
	}{
		"a wrong password": {func(t *testing.T) string {
			t.Helper()
			return user(t, pgtest.Address(t), pgtest.Careful, "PASSWORD 'another'")
		}, checkpoint.ErrUnavailable, `the database cannot be reached; .*password authentication failed for user "careful"`},
		"an unknown user": {func(t *testing.T) string {
			t.Helper()
			return as(t, pgtest.Address(t), func(u *url.URL) { u.User = url.UserPassword("nobody", "secret") })
		}, checkpoint.ErrUnavailable, `role "nobody" does not exist`},
		"an unknown database": {func(t *testing.T) string {
			t.Helper()
			return as(t, pgtest.Address(t), func(u *url.URL) { u.Path, u.User = "/nothing", url.UserPassword("test", "secret") })
		}, checkpoint.ErrUnavailable, `postgres "nothing" on 127.0.0.1: .*database "nothing" does not exist`},
		"no server": {func(t *testing.T) string {
			t.Helper()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			require.NoError(t, l.Close())
			return "postgres://test:secret@" + l.Addr().String() + "/test?sslmode=disable"
		}, checkpoint.ErrUnavailable, `the database cannot be reached; .*connection refused`},
		"a server that says something else": {func(t *testing.T) string {
			t.Helper()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, l.Close()) })
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
					_ = conn.Close()
				}
			}()
			return "postgres://test:secret@" + l.Addr().String() + "/test?sslmode=disable"
		}, checkpoint.ErrUnavailable, `the database cannot be reached`},
		"too many connections": {func(t *testing.T) string {
			t.Helper()
			address := user(t, pgtest.Address(t), "single", "CONNECTION LIMIT 1")
			connect(t, address)
			return address
		}, checkpoint.ErrUnavailable, `too many connections for role "single@`},
		"no right to make tables": {func(t *testing.T) string {
			t.Helper()
			return user(t, pgtest.Address(t), "limited", "")
		}, checkpoint.ErrReadOnly, `the database cannot be written to; check its permissions .*permission denied for schema public`},
		"a database that may only be read": {func(t *testing.T) string {
			t.Helper()
			return as(t, pgtest.Address(t), func(u *url.URL) { u.RawQuery += "&default_transaction_read_only=on" })
		}, checkpoint.ErrReadOnly, `cannot execute CREATE TABLE in a read-only transaction`},
		"an address that is none": {func(*testing.T) string {
			return "postgres://test:secret@127.0.0.1:port/test"
		}, nil, `^postgres: the address is invalid: `},
		"an address with an unknown key": {func(*testing.T) string {
			return "hots=127.0.0.1 password=secret connect_timeout=x"
		}, nil, `^postgres: the address is invalid: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := postgres.Open(t.Context(), test.address(t), postgres.Options{})
			require.Error(t, err)
			if test.is != nil {
				require.ErrorIs(t, err, test.is)
			}
			require.Regexp(t, test.text, err.Error())
			require.NotContains(t, err.Error(), "secret")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// TestAUserWhoMayOnlyRead reads threads, and is told that it cannot write.
func TestAUserWhoMayOnlyRead(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	save(t, open(t, address, postgres.Options{}))
	reader := user(t, address, "reader", "")
	exec(t, connect(t, address), "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC")
	store := open(t, reader, postgres.Options{})
	held, err := store.Load(t.Context(), "t", 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, held.ID)
	for _, err := range []error{
		failure(store.Open(t.Context(), "t")), store.Delete(t.Context(), "t"), store.Fork(t.Context(), "t", 0, "u"),
	} {
		require.ErrorIs(t, err, checkpoint.ErrReadOnly)
		require.ErrorContains(t, err, "permission denied for table agenthost_")
	}
}

func failure(_ checkpoint.Session, err error) error { return err }

// save saves one checkpoint of the thread t.
func save(t *testing.T, store *postgres.Store) {
	t.Helper()
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	_, err = session.Save(t.Context(), commit(0, "x"))
	require.NoError(t, err)
	require.NoError(t, session.Close())
}

func TestTablesOfANewerVersionAreLeftAlone(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	save(t, open(t, address, postgres.Options{}))
	admin := connect(t, address)
	exec(t, admin, "UPDATE agenthost_schema SET version = 1000")
	_, err := postgres.Open(t.Context(), address, postgres.Options{})
	require.ErrorIs(t, err, checkpoint.ErrNewer)
	require.ErrorContains(t, err, "its tables have version 1000")
	var version int
	require.NoError(t, admin.QueryRow(t.Context(), "SELECT version FROM agenthost_schema").Scan(&version))
	require.Equal(t, 1000, version)
}

// TestAStatementThatTakesTooLong fails by the server's own limits.
func TestAStatementThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for limit, is := range map[string]error{"lock_timeout": checkpoint.ErrLocked, "statement_timeout": checkpoint.ErrLocked} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			address := pgtest.Address(t)
			save(t, open(t, address, postgres.Options{}))
			holder := connect(t, address)
			exec(t, holder, "BEGIN")
			exec(t, holder, "LOCK TABLE agenthost_threads")
			store := open(t, as(t, address, func(u *url.URL) { u.RawQuery += "&" + limit + "=50" }), postgres.Options{})
			_, err := store.Open(t.Context(), "t")
			require.ErrorIs(t, err, is)
			exec(t, holder, "ROLLBACK")
			save(t, store)
		})
	}
}

// TestAConnectionThatIsEnded goes on with another one, at the latest when it is asked again.
func TestAConnectionThatIsEnded(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	store := open(t, address, postgres.Options{})
	save(t, store)
	exec(t, connect(t, address), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	for {
		_, err := store.Load(t.Context(), "t", 0)
		if err == nil {
			break
		}
		require.ErrorIs(t, err, checkpoint.ErrUnavailable)
	}
	require.NoError(t, store.Delete(t.Context(), "t"))
}
