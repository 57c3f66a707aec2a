package access

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// RequestIDHeader is the header with the id of a request.
const RequestIDHeader = "X-Request-ID"

// RequestIDs returns a wrapper that gives each request an id, or keeps that of a proxy if it has 1 to 128 letters, digits and characters of "-_.:". The id is
// in the answer, in the log, and in [RequestID].
func RequestIDs() Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get(RequestIDHeader)
			if !isRequestID(id) {
				id = rand.Text()
			}
			w.Header().Set(RequestIDHeader, id)
			ctx, e := withEntry(r.Context())
			e.id = id
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

func isRequestID(id string) bool {
	return id != "" && len(id) <= 128 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:", r)
	})
}
