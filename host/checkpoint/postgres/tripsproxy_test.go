package postgres_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// trips are the round trips of clients to a server of PostgreSQL: for each, the texts of its statements, one a line.
type trips struct {
	mu  sync.Mutex
	all []string
}

// take returns the trips since it was called last.
func (r *trips) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// before listens in front of a server, records how clients wait for an answer, and returns its address.
func (r *trips) before(t *testing.T, server string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", server) //nolint:noctx // it does not wait
			if err != nil {
				_ = client.Close()
				return
			}
			go func() {
				_, _ = io.Copy(client, there)
				_ = client.Close()
			}()
			go func() {
				r.record(there, client)
				_ = there.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// record copies the messages of a client, and ends a trip at those that ask for an answer: Sync and Query.
func (r *trips) record(there io.Writer, client io.Reader) {
	prepared := map[string]string{}
	var statements []string
	for typed := 0; ; typed = 1 { // the first message has no type
		head := make([]byte, typed+4)
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[typed:])-4)
		if _, err := io.ReadFull(client, body); err != nil {
			return
		}
		if typed == 1 {
			first, rest, _ := bytes.Cut(body, []byte{0})
			second, _, _ := bytes.Cut(rest, []byte{0})
			switch head[0] {
			case 'P': // Parse: a name, and the statement
				prepared[string(first)] = strings.Join(strings.Fields(string(second)), " ")
			case 'B': // Bind: a portal, and the name of the statement
				statements = append(statements, prepared[string(second)])
			case 'Q': // Query: the statement
				statements = append(statements, string(first))
			}
			if head[0] == 'S' || head[0] == 'Q' {
				r.end(statements)
				statements = nil
			}
		}
		if _, err := there.Write(bytes.Join([][]byte{head, body}, nil)); err != nil {
			return
		}
	}
}

// end ends a trip. The driver asks whether a connection lives if it was idle for a second, which says nothing about a round.
func (r *trips) end(statements []string) {
	if strings.Join(statements, "") == "-- ping" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, strings.Join(statements, "\n"))
}
