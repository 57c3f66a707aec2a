package access

import (
	"net/http"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
)

// Authenticate returns a wrapper that lets only requests with a principal through, which [auth.FromContext] then returns. What isOpen accepts needs none:
// health checks and the like; nil: nothing is open. The log has the reason why a request was refused, and its client only the status.
func Authenticate(authenticator auth.Authenticator, isOpen func(*http.Request) bool) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isOpen != nil && isOpen(r) {
				next.ServeHTTP(w, r)
				return
			}
			p, err := authenticator.Authenticate(r)
			if err != nil {
				Note(r.Context(), err)
				detail.Write(w, err)
				return
			}
			ctx, e := withEntry(r.Context())
			e.who = p.ID()
			next.ServeHTTP(w, r.WithContext(auth.WithPrincipal(ctx, p)))
		})
	}
}
