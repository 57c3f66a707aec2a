package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/hint"
)

// notices spreads hints by notifications.
type notices struct {
	db     *sql.DB
	config *pgx.ConnConfig // for connections that listen
	name   string          // of this handle: it does not need its own hints

	mu      sync.Mutex
	waiting hint.Queue
	sending bool
	closed  bool
	senders sync.WaitGroup
}

// channel is the channel of all notifications.
const channel = "agenthost_runs"

// notice is the payload of a notification. A payload has at most 8,000 bytes.
type notice struct {
	From  string      `json:"from"`
	Hints []runs.Hint `json:"hints"`
}

// perNotice is how many hints fit into a notice: each has at most 170 bytes.
const perNotice = 40

// patience is how long a sender tries to send, and how long closing a connection may take.
const patience = time.Second

func newNotices(ctx context.Context, db *sql.DB) (*notices, error) {
	n := &notices{db: db, name: rand.Text()}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the connection is a %T, not one of pgx", driver)
		}
		n.config = c.Conn().Config()
		n.config.OnNotification = nil // it would be that of the other connection
		return nil
	})
	return n, errors.Join(err, conn.Close())
}

// spread sends hints soon. While some are being sent, others wait and then go together.
func (n *notices) spread(hints []runs.Hint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.waiting.Add(hints...)
	if !n.sending {
		n.sending = true
		n.senders.Go(n.send)
	}
}

// send sends hints until none wait.
func (n *notices) send() {
	for {
		n.mu.Lock()
		hints := n.waiting.Take()
		n.sending = len(hints) > 0
		n.mu.Unlock()
		if len(hints) == 0 {
			return
		}
		n.notify(hints)
	}
}

// notify sends hints. They are lost if the database cannot be reached.
func (n *notices) notify(hints []runs.Hint) {
	var payloads []string
	for len(hints) > 0 {
		some := hints[:min(len(hints), perNotice)]
		hints = hints[len(some):]
		payload, err := json.Marshal(notice{n.name, some})
		if err != nil {
			continue // hints are texts
		}
		payloads = append(payloads, string(payload))
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _ = n.db.ExecContext(ctx, `SELECT pg_notify('`+channel+`', payload) FROM unnest(CAST($1 AS text[])) AS payload`, payloads)
}

func (n *notices) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.senders.Wait()
}

// listen passes the hints of others on until the context ends. It connects again when a connection is lost, at the latest after reconnect.
func (n *notices) listen(ctx context.Context, heard func(...runs.Hint)) {
	for wait := firstWait; ctx.Err() == nil; wait = min(2*wait, reconnect) {
		if n.hear(ctx, heard) {
			wait = firstWait
		}
		again := time.NewTimer(wait) //nolint:forbidigo // the server is away in real time
		select {
		case <-ctx.Done():
		case <-again.C:
		}
		again.Stop()
	}
}

// How long to wait before a new connection.
const (
	firstWait = 50 * time.Millisecond
	reconnect = 5 * time.Second
)

// hear listens on a connection until it is lost, and reports whether there was one.
func (n *notices) hear(ctx context.Context, heard func(...runs.Hint)) bool {
	conn, err := pgx.ConnectConfig(ctx, n.config.Copy())
	if err != nil {
		return false
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = conn.Close(ctx) // it was lost, or nobody listens any longer
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return false
	}
	heard(hint.All()...) // what happened before was not heard
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		var said notice
		switch err := json.Unmarshal([]byte(notification.Payload), &said); {
		case err != nil:
			heard(hint.All()...) // of another version, perhaps
		case said.From != n.name:
			heard(said.Hints...)
		}
	}
}
