package access_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/access"
)

// byName is an authenticator that takes what x-api-key says for the name of a key or, with "token ", of the subject of a token. It knows no "wrong".
type byName struct{}

func (byName) Authenticate(r *http.Request) (auth.Principal, error) {
	switch name := r.Header.Get(auth.KeyHeader); name {
	case "":
		return auth.Principal{}, auth.ErrNoCredential
	case "down":
		return auth.Principal{}, auth.ErrUnavailable
	case "wrong":
		return auth.Principal{}, auth.ErrBadCredential
	case "token":
		return auth.Principal{Owner: name, Kind: "oidc", Name: name}, nil
	default:
		return auth.Principal{Owner: name, Kind: "keys", Name: name}, nil
	}
}

// door lets clients in whose logins may fail so many times in a minute, and returns what an address is answered: the status and Retry-After.
func door(t *testing.T, perMinute int) func(from, key string) (status int, after string) {
	t.Helper()
	authenticator, err := access.Logins(byName{}, perMinute)
	require.NoError(t, err)
	h := access.Chain(ok, access.Authenticate(authenticator, nil, nil))
	return func(from, key string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = from
		if key != "" {
			r.Header.Set(auth.KeyHeader, key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Header().Get("Retry-After")
	}
}

func TestFailedLogins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := door(t, 3)
		status := func(from, key string) int {
			code, _ := ask(from, key)
			return code
		}
		const office, attacker, other = "10.0.0.1:1", "10.0.0.2:1", "10.0.0.2:99"
		require.Equal(t, 200, status(office, "ada"))
		for range 3 {
			require.Equal(t, 401, status(attacker, "wrong"))
			require.Equal(t, 401, status(office, "wrong"))
		}
		code, after := ask(other, "wrong")
		require.Equal(t, 429, code, "another port is the same address")
		require.Equal(t, "20", after)
		require.Equal(t, 429, status(attacker, "ada"), "whoever guesses right does not learn it")
		require.Equal(t, 200, status(office, "ada"), "it was accepted from here before")
		require.Equal(t, 429, status(office, "eve"))
		require.Equal(t, 200, status(attacker, "token"), "nobody guesses a signature")
		require.Equal(t, 401, status(attacker, ""))
		require.Equal(t, 503, status(attacker, "down"))
		require.Equal(t, 200, status("10.0.0.3:1", "ada"), "other addresses have their own")

		time.Sleep(19 * time.Second)
		require.Equal(t, 429, status(attacker, "ada"), "to be refused takes nothing, and gives nothing")
		time.Sleep(time.Second)
		require.Equal(t, []int{401, 429}, []int{status(attacker, "wrong"), status(attacker, "wrong")}, "one more each 20 s")
		time.Sleep(20 * time.Second)
		require.Equal(t, 200, status(attacker, "ada"))
		time.Sleep(time.Hour)
		for range 3 {
			require.Equal(t, 401, status(attacker, "wrong"), "no more than as many at once")
		}
		require.Equal(t, 429, status(attacker, "wrong"))
	})
	_, err := access.Logins(byName{}, 0)
	require.Error(t, err)
}

// Addresses are cheap, above all those of IPv6: a table that is full does not let new ones try for ever.
func TestFailedLoginsOfManyAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := door(t, 2)
		const home = "10.0.0.1:1"
		const crowd = 20_000
		key := func(i int) string { return fmt.Sprintf("key-%d", i) }
		for i := range crowd {
			code, _ := ask(home, key(i))
			require.Equal(t, http.StatusOK, code)
		}
		refused := 0
		for i := range crowd {
			if code, _ := ask(fmt.Sprintf("[2001:db8:0:%x::1]:1", i), "wrong"); code == http.StatusTooManyRequests {
				refused++
			}
		}
		require.Equal(t, crowd-10_000-2, refused, "10,000 have a bucket, and all others share one")
		for i, want := range map[int]int{0: http.StatusTooManyRequests, crowd - 1: http.StatusOK} {
			code, _ := ask(home, key(i))
			require.Equal(t, want, code, "only the keys that came last are remembered")
		}
		time.Sleep(time.Hour)
		code, _ := ask(home, key(0))
		require.Equal(t, http.StatusOK, code)
	})
}
