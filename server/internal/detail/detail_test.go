package detail_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret")
	for name, test := range map[string]struct {
		err     error
		status  int
		body    string
		headers map[string]string
	}{
		"own":     {detail.Errorf(404, "Thread with ID %s not found", "<x>"), 404, `{"detail":"Thread with ID \u003cx\u003e not found"}`, nil},
		"wrapped": {fmt.Errorf("runs: %w", &detail.Error{Status: 409, Text: "busy", Cause: secret}), 409, `{"detail":"busy"}`, nil},
		"later": {
			&detail.Error{Status: 429, Text: "x", RetryAfter: 1100 * time.Millisecond}, 429, `{"detail":"x"}`, map[string]string{"Retry-After": "2"},
		},
		"nobody": {
			fmt.Errorf("%w: %w", secret, auth.ErrBadCredential), 401, `{"detail":"Invalid token"}`, map[string]string{"WWW-Authenticate": "Bearer"},
		},
		"forbidden":     {auth.ErrForbidden, 403, `{"detail":"Forbidden"}`, nil},
		"unknown error": {secret, 500, `{"detail":"Internal server error"}`, nil},
		"a long text":   {detail.Errorf(422, "%s", strings.Repeat("é", 5000)), 422, `{"detail":"` + strings.Repeat("é", 4000) + `"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			w.Header().Set("Content-Length", "7")
			detail.Write(w, test.err)
			require.Equal(t, test.status, w.Code)
			require.Equal(t, test.body, w.Body.String())
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
			require.Empty(t, w.Header().Get("Content-Length"))
			for key, want := range test.headers {
				require.Equal(t, want, w.Header().Get(key))
			}
		})
	}
	require.Equal(t, "busy: secret", (&detail.Error{Text: "busy", Cause: secret}).Error())
	require.ErrorIs(t, &detail.Error{Cause: secret}, secret)
}
