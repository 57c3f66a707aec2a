package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// TestWhatErrorsMean checks those that a server is not easily made to send.
func TestWhatErrorsMean(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{
		"53100": checkpoint.ErrFull, "53200": checkpoint.ErrUnavailable, "53300": checkpoint.ErrUnavailable,
		"57P01": checkpoint.ErrUnavailable, "57P03": checkpoint.ErrUnavailable, "08006": checkpoint.ErrUnavailable,
		"58030": checkpoint.ErrUnavailable, "40001": checkpoint.ErrLocked, "40P01": checkpoint.ErrLocked,
		"XX001": checkpoint.ErrCorrupt, "XX002": checkpoint.ErrCorrupt, "58P01": checkpoint.ErrCorrupt,
		"XX000": nil, "23505": nil, "42601": nil, "5": nil, "": nil,
	} {
		require.Equal(t, want, classify(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})), code)
	}
	for _, err := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, context.DeadlineExceeded, &net.OpError{Op: "read", Err: errors.New("reset")},
	} {
		require.Equal(t, checkpoint.ErrUnavailable, classify(fmt.Errorf("wrapped: %w", err)), "%v", err)
	}
	require.NoError(t, classify(errors.New("what it is nobody knows")))
}
