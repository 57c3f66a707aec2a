package access

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/server/internal/detail"
)

// Bodies returns a wrapper that limits bodies of requests: their size in bytes, and the time in which they must arrive. A request that says that its
// body is larger is refused with 413. A handler that reads a larger one gets an [*http.MaxBytesError], and one that reads a body that
// is late [os.ErrDeadlineExceeded]; package jsonbody answers both.
func Bodies(most int64, within time.Duration) Wrapper {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > most {
				w.Header().Set("Connection", "close") // or net/http would read part of the body first
				detail.Write(w, detail.Errorf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes, which is the limit of this server", most))
				return
			}
			if r.Body == nil || r.Body == http.NoBody {
				next.ServeHTTP(w, r)
				return
			}
			control := http.NewResponseController(w)
			if err := control.SetReadDeadline(time.Now().Add(within)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return // the connection is gone
			}
			body := &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, most), control: control}
			r2 := *r
			r2.Body = body
			next.ServeHTTP(w, &r2)
		})
	}
}

// timedBody lifts the deadline once the body is read: the server watches for the client's leaving by reading on.
type timedBody struct {
	io.ReadCloser

	control *http.ResponseController
	done    bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !b.done {
		b.done = true
		if errors.Is(err, io.EOF) {
			_ = b.control.SetReadDeadline(time.Time{}) // a connection that is gone needs none
		}
	}
	return n, err
}
