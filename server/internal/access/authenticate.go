package access

import (
	"net/http"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// Authenticate returns a wrapper that lets only requests with a principal through, which [auth.FromContext] then returns. What isOpen accepts needs none:
// health checks and the like; nil: nothing is open. challenge
// returns the header WWW-Authenticate of a refused request, "" or nil: Bearer. The log has the reason why a request was refused, and its client only
// the status.
func Authenticate(authenticator auth.Authenticator, isOpen func(*http.Request) bool, challenge func(*http.Request) string) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isOpen != nil && isOpen(r) {
				next.ServeHTTP(w, r)
				return
			}
			p, err := authenticator.Authenticate(r)
			if err != nil {
				Note(r.Context(), err)
				if challenge != nil {
					detail.Challenge(w, challenge(r))
				}
				detail.Write(w, err)
				return
			}
			ctx, e := withEntry(r.Context())
			e.who = p.ID()
			next.ServeHTTP(w, r.WithContext(auth.WithPrincipal(ctx, p)))
		})
	}
}
