package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agenthost/agenthost/internal/terminal"
)

// callback is the address on this machine to which the browser returns: RFC 8252, section 7.3.
type callback struct {
	address string
	server  *http.Server
	ended   sync.WaitGroup
	found   chan answered

	mu     sync.Mutex
	state  string
	issuer string
	strict bool // the answer must name the issuer
}

// answered is the answer of the authorization server.
type answered struct {
	code string
	err  error
}

// listen begins to serve the address. A request to it is bounded by the limits of net/http.
func listen(ctx context.Context, port int) (*callback, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("the address for the browser's return: %w", err)
	}
	c := &callback{address: "http://" + listener.Addr().String() + "/callback", found: make(chan answered, 1)}
	c.server = &http.Server{
		Handler: http.HandlerFunc(c.handle), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
	}
	c.ended.Go(func() { _ = c.server.Serve(listener) }) // it ends with close
	return c, nil
}

// expect sets what the answer must have.
func (c *callback) expect(state, issuer string, strict bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.issuer, c.strict = state, issuer, strict
}

// handle takes the answer. It ignores requests without the state of this login, because any program on this machine, and any web page,
// can make them.
func (c *callback) handle(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	c.mu.Lock()
	state, issuer, strict := c.state, c.issuer, c.strict
	c.mu.Unlock()
	query := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != "/callback" || state == "" ||
		subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 {
		http.Error(w, "This is not the login that agenthost waits for.", http.StatusBadRequest)
		return
	}
	code, err := readAnswer(query, issuer, strict)
	select {
	case c.found <- answered{code, err}:
	default: // there was an answer already
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintln(w, "The login failed. You can close this window; agenthost shows the reason.") // the browser may be gone
		return
	}
	_, _ = fmt.Fprintln(w, "The login is complete. You can close this window.") // the browser may be gone
}

// readAnswer reads the parameters of the answer: RFC 6749, section 4.1.2, and RFC 9207.
func readAnswer(query url.Values, issuer string, strict bool) (string, error) {
	named := query.Get("iss")
	switch {
	case strict && named == "":
		return "", errors.New("the answer to the login does not name the authorization server, although it must")
	case named != "" && strings.TrimSuffix(named, "/") != strings.TrimSuffix(issuer, "/"):
		return "", fmt.Errorf("the answer to the login is from another authorization server, %q", terminal.Line(cut(named)))
	case query.Get("error") != "":
		return "", fmt.Errorf("the authorization server refuses the login: %w",
			&statusError{0, terminal.Line(cut(query.Get("error"))), terminal.Line(cut(query.Get("error_description")))})
	case query.Get("code") == "" || len(query.Get("code")) > maxToken:
		return "", errors.New("the answer to the login has no code")
	}
	return query.Get("code"), nil
}

// wait returns the code.
func (c *callback) wait(ctx context.Context) (string, error) {
	select {
	case answer := <-c.found:
		return answer.code, answer.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// close stops serving. It lets the answer to the browser go out first.
func (c *callback) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if err := c.server.Shutdown(ctx); err != nil {
		_ = c.server.Close() // cut off who has not left
	}
	c.ended.Wait()
}
