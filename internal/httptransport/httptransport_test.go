package httptransport_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/httptransport"
)

// replaced is a transport that a program could set in place of the default one.
type replaced struct{ http.RoundTripper }

//nolint:paralleltest // it replaces a global variable
func TestNew(t *testing.T) {
	usual := httptransport.New()
	require.NotSame(t, http.DefaultTransport, usual)
	before := http.DefaultTransport
	http.DefaultTransport = replaced{before}
	defer func() { http.DefaultTransport = before }()
	other := httptransport.New()
	require.NotNil(t, other.Proxy)
	require.NotNil(t, other.DialContext)
	require.True(t, other.ForceAttemptHTTP2)
	require.Equal(t, usual.IdleConnTimeout, other.IdleConnTimeout)
	require.Equal(t, usual.TLSHandshakeTimeout, other.TLSHandshakeTimeout)
}
