package access

import (
	"net/http"
	"time"
)

// WriteDeadlines returns a wrapper that ends a connection whose client does not accept a piece of an answer in time. The time counts for each
// write, so a handler may think for as long as it likes. A handler that sets a write deadline itself, such as that of a stream, has
// taken over.
func WriteDeadlines(within time.Duration) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timed := &deadlineWriter{ResponseWriter: w, control: http.NewResponseController(w), within: within}
			next.ServeHTTP(timed, r)
			timed.begin() // the server sends what is left
		})
	}
}

type deadlineWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	within  time.Duration
	taken   bool // by the handler
}

// maxPiece is how many bytes are written under one deadline.
const maxPiece = 64 << 10

func (w *deadlineWriter) Write(b []byte) (int, error) {
	defer w.end()
	for done := 0; ; {
		w.begin()
		n, err := w.ResponseWriter.Write(b[done:min(len(b), done+maxPiece)])
		if done += n; err != nil || done == len(b) {
			return done, err
		}
	}
}

// FlushError is what [http.ResponseController] calls.
func (w *deadlineWriter) FlushError() error {
	defer w.end()
	w.begin()
	return w.control.Flush()
}

// SetWriteDeadline is what [http.ResponseController] calls.
func (w *deadlineWriter) SetWriteDeadline(deadline time.Time) error {
	w.taken = true
	return w.control.SetWriteDeadline(deadline)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin sets the deadline. A writer that has none is that of a test.
func (w *deadlineWriter) begin() {
	if !w.taken {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.within))
	}
}

// end lifts the deadline: what the handler wrote may wait in a buffer while it thinks.
func (w *deadlineWriter) end() {
	if !w.taken {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}
