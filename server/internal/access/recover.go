package access

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// errPanicked is why a request failed, for its line in the log.
var errPanicked = errors.New("the handler panicked")

// Recover returns a wrapper that answers 500 if a handler panics, with the id of the request, and writes the panic to the log. If a part of the answer was
// sent already, the connection is cut, so that the client does not take the part for the whole. [http.ErrAbortHandler] passes.
func Recover(logger *slog.Logger) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			counted := &countingWriter{ResponseWriter: w}
			defer func() {
				cause := recover()
				if cause == nil {
					return
				}
				if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(http.ErrAbortHandler)
				}
				Note(r.Context(), errPanicked)
				id := RequestID(r.Context())
				logger.ErrorContext(r.Context(), "panic", slog.String("cause", clean(fmt.Sprint(cause), 1000)), slog.String("method", clean(r.Method, 16)),
					slog.String("path", clean(r.URL.Path, 200)), slog.String("request_id", id), slog.String("stack", string(debug.Stack())))
				if counted.status != 0 {
					panic(http.ErrAbortHandler)
				}
				detail.Write(w, detail.Errorf(http.StatusInternalServerError, "Internal server error (request %s)", id))
			}()
			next.ServeHTTP(counted, r)
		})
	}
}
