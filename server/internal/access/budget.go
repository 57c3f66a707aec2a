package access

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// FreeBody is how many bytes of each body [Budget] does not count, so that ordinary requests pass while others send large ones.
const FreeBody = 64 << 10

// Budget limits how many bytes of the bodies of all requests are in memory at once. Reading a body for which there is no room fails with
// a [*detail.Error] with the status 503.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget returns a budget of bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Wrap counts the bodies of requests. Bytes count when they arrive, and until the answer begins: a stream may then last for as long as it likes.
func (b *Budget) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.ContentLength >= 0 && r.ContentLength <= FreeBody {
			next.ServeHTTP(w, r)
			return
		}
		body := &countedBody{ReadCloser: r.Body, budget: b}
		defer body.release()
		r2 := *r
		r2.Body = body
		next.ServeHTTP(&releasingWriter{ResponseWriter: w, body: body}, &r2)
	})
}

// Count counts what is read of a message of a WebSocket, until release is called.
func (b *Budget) Count(message io.Reader) (counted io.Reader, release func()) {
	body := &countedBody{ReadCloser: io.NopCloser(message), budget: b}
	return body, body.release
}

// countedBody takes from the budget what is read. A handler may read it in one goroutine and answer in another.
type countedBody struct {
	io.ReadCloser

	budget *Budget

	mu       sync.Mutex
	read     int64
	taken    int64
	released bool
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.take(int64(n)) {
		_, _ = io.Copy(io.Discard, b.ReadCloser) // a client that still sends would not see the answer; size and time of the body are limited
		return 0, &detail.Error{
			Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Text: "this server has too many large requests at the moment; try again later",
		}
	}
	return n, err
}

// take counts bytes that were read, and reports whether there is room for them.
func (b *countedBody) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += n
	more := b.read - FreeBody - b.taken
	if more <= 0 || b.released {
		return true
	}
	if b.budget.used.Add(more) > b.budget.most {
		b.budget.used.Add(-more)
		return false
	}
	b.taken += more
	return true
}

func (b *countedBody) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.released {
		b.released = true
		b.budget.used.Add(-b.taken)
	}
}

// releasingWriter gives back what a body has taken when the answer begins.
type releasingWriter struct {
	http.ResponseWriter

	body *countedBody
}

func (w *releasingWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // others are only on the way
		w.body.release()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *releasingWriter) Write(b []byte) (int, error) {
	w.body.release()
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *releasingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
