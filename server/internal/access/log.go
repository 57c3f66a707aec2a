package access

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/text"
)

// Log returns a wrapper that writes a line about each request when it is over: method, path, status, bytes, time, who sent it, and the id of
// the request. It never writes headers, bodies or what follows the ? of the path: keys may be there. The level of an answer from 500 is
// that of an error, and that of a health check is for debugging.
func Log(logger *slog.Logger) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, e := withEntry(r.Context())
			r = r.WithContext(ctx)
			counted, begun := &countingWriter{ResponseWriter: w}, time.Now()
			defer func() {
				attributes := []any{
					slog.String("method", clean(r.Method, 16)), slog.String("path", clean(r.URL.Path, 200)),
					slog.Int("status", counted.answered()), slog.Int64("bytes", counted.bytes), slog.Duration("duration", time.Since(begun)),
					slog.String("remote", r.RemoteAddr), slog.String("request_id", e.id),
				}
				if e.who != "" {
					attributes = append(attributes, slog.String("who", clean(e.who, 100)))
				}
				if e.reason != nil {
					attributes = append(attributes, slog.String("reason", clean(e.reason.Error(), 500)))
				}
				logger.Log(ctx, levelOf(r.URL.Path, counted.answered()), "request", attributes...)
			}()
			next.ServeHTTP(counted, r)
		})
	}
}

// clean makes a text of a client safe for a log.
func clean(foreign string, most int) string { return text.Cut(text.Clean(foreign), most) }

func levelOf(path string, status int) slog.Level {
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	case status < http.StatusBadRequest && (path == "/ok" || strings.HasPrefix(path, "/healthz") || strings.HasPrefix(path, "/readyz")):
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

// countingWriter notes what was answered.
type countingWriter struct {
	http.ResponseWriter

	status int
	bytes  int64
}

func (w *countingWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // others are only on the way
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answered returns the status. net/http answers 200 for a handler that wrote nothing.
func (w *countingWriter) answered() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
