//go:build linux

package hostileclients_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const hundredMB = 100_000_000

// letters is n letters within quotes, without a length that the client knows.
func letters(n int64) io.Reader {
	return io.MultiReader(strings.NewReader(`{"metadata":{"a":"`), io.LimitReader(endless{}, n), strings.NewReader(`"}}`))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLargeAndDeepBodies(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	zipped := func() io.Reader {
		out, in := io.Pipe()
		go func() {
			z := gzip.NewWriter(in)
			_, err := io.Copy(z, letters(hundredMB))
			_ = in.CloseWithError(errorsOf(err, z.Close()))
		}()
		return out
	}
	var all sync.WaitGroup
	r.beside(150<<20, func() {
		for name, test := range map[string]struct {
			body           io.Reader
			length         int64
			encoding, says string
			status         int
		}{
			"100 MB with a length":   {letters(hundredMB), hundredMB + 21, "", "the body has more than 4194304 bytes", 413},
			"100 MB in chunks":       {letters(hundredMB), -1, "", "the body has more than 4194304 bytes", 413},
			"100 MB packed by gzip":  {zipped(), -1, "gzip", "Invalid JSON", 422},
			"less than it says":      {strings.NewReader("{}"), 3, "", "", 0},
			"10,000 arrays":          {strings.NewReader(strings.Repeat("[", 10_000)), -1, "", "Invalid JSON: more than 100", 422},
			"a million objects":      {strings.NewReader(strings.Repeat(`{"a":`, 800_000)), -1, "", "Invalid JSON: more than 100", 422},
			"a million empty arrays": {strings.NewReader("[" + strings.Repeat("[],", 1_000_000) + "[]]"), -1, "", `is not of type "object"`, 422},
			"a million members":      {strings.NewReader(`{"metadata":{` + strings.Repeat(`"a":1,`, 600_000) + `"b":1}}`), -1, "", "", 200},
		} {
			all.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.server.URL()+"/threads", test.body)
				if err != nil {
					t.Error(err)
					return
				}
				request.ContentLength = test.length
				request.Header.Set("X-Api-Key", r.key)
				if test.encoding != "" {
					request.Header.Set("Content-Encoding", test.encoding)
				}
				response, err := r.client.Do(request)
				if err != nil {
					// The server closed the connection while the client was still sending.
					if test.status != 413 && test.status != 0 {
						t.Error(name, err)
					}
					return
				}
				body, _ := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if a := (answer{response.StatusCode, string(body)}); a.status != test.status || !strings.Contains(a.detail(), test.says) {
					t.Errorf("%s: %d %.300s", name, a.status, a.body)
				}
			})
		}
		all.Wait()
	})
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return io.EOF
}

// The lengths of the bodies above are refused before they are sent, as a client sees that waits for the answer.
func TestALargeBodyIsRefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	r := setup(t, "", "")
	got := r.raw("POST /threads HTTP/1.1\r\nHost: localhost\r\n{key}\r\nContent-Length: 100000000\r\nExpect: 100-continue\r\n\r\n", true)
	require.Len(t, got, 1)
	require.Equal(t, http.StatusRequestEntityTooLarge, got[0].status)
	require.Contains(t, got[0].detail(), "4194304 bytes")
}
