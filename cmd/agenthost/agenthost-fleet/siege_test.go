package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/test/pgtest"
)

// effects is a ledger outside of the fleet: it notes each request of a tool by its key, and takes its time to answer.
type effects struct {
	mu     sync.Mutex
	starts map[string]int
	known  map[string]bool
}

func (e *effects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	e.mu.Lock()
	e.starts[key]++
	e.mu.Unlock()
	select {
	case <-time.After(700 * time.Millisecond):
		_, _ = io.WriteString(w, strings.TrimPrefix(r.URL.Path, "/")+" "+key)
	case <-r.Context().Done():
	}
}

// settle notes that a key is that of a call in a conversation.
func (e *effects) settle(key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[key] = true
}

// strays are the keys that no conversation knows.
func (e *effects) strays() (keys []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.starts {
		if !e.known[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// again is how many starts were not the first of their calls.
func (e *effects) again() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, starts := range e.starts {
		n += starts - 1
	}
	return n
}

func (e *effects) of(key string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.starts[key]
}

// The agent of examples/deep-agent also looks something up before it writes, which is idempotent, and announces what it wrote, which is not.
const deepTools = `
tools:
  - http: {name: lookup, description: Looks up facts., url: "LEDGER/lookup"}
  - http: {name: announce, description: Announces the release., url: "LEDGER/announce", method: POST}
`

// deepRules replaces rules of the example's script by others.
var deepRules = strings.NewReplacer(`    when: ^-
    call:
`, `    when: ^-
    call: [{name: lookup, args: {}}]
  - from: tool
    tool: lookup
    when: lookup
    call:
`, `tool: write_todos, when: completed, say:`, `tool: write_todos, when: completed, call: [{name: announce, args: {}}]}
  - {from: tool, tool: announce, when: announce, say:`)

// siege is a fleet with an agent that is used while its workers have faults.
type siege struct {
	t       *testing.T
	dir     string
	address string
	ledger  *effects
	wanted  []string // the transcript of a conversation without faults

	mu      sync.Mutex
	workers []*worker
	talks   map[string]time.Time // conversations under way, and when they began
	ended   int
	asked   int           // questions what a tool did
	slowest time.Duration // conversation
}

// worker is a process with a version of the agent.
type worker struct {
	*child

	version int
}

func newSiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{t: t, dir: t.TempDir(), ledger: &effects{starts: map[string]int{}, known: map[string]bool{}}, talks: map[string]time.Time{}}
	ledger := &http.Server{Handler: s.ledger, ReadHeaderTimeout: 10 * time.Second}
	at := listen(t)
	go func() { _ = ledger.Serve(at) }()
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	source := filepath.Join("..", "..", "..", "examples", "deep-agent")
	require.NoError(t, os.CopyFS(s.dir, os.DirFS(source)))
	text, err := os.ReadFile(filepath.Join(source, "rules.yaml"))
	require.NoError(t, err)
	changed := deepRules.Replace(string(text))
	require.Contains(t, changed, "tool: lookup")
	require.Contains(t, changed, "tool: announce")
	write(t, filepath.Join(s.dir, "rules.yaml"), changed)
	text, err = os.ReadFile(filepath.Join(source, "agenthost.yaml"))
	require.NoError(t, err)
	tools := strings.ReplaceAll(deepTools, "LEDGER", "http://"+at.Addr().String())
	for version, more := range []string{"", "  - model_call_limit: {run_limit: 100}\n"} {
		next := strings.Replace(string(text), "\ncheckpoint:", "\n"+more+"checkpoint:", 1)
		write(t, s.manifest(version), strings.Replace(next, "checkpoint: sqlite:agent.db", "", 1)+tools)
	}
	port := listen(t)
	s.address = port.Addr().String()
	require.NoError(t, port.Close())
	write(t, filepath.Join(s.dir, "serve.yaml"), fmt.Sprintf(
		"listen: %s\nstorage: {postgres: %q}\nlog: {format: text}\nlease: 3s\ndrain: 1m\nengine: {temporal: {address: %q, queue: siege}}\n",
		s.address, pgtest.Address(t), development(t)))
	for range 3 {
		s.add(0)
	}
	server := spawn(t, s.dir, append([]string{"serve"}, s.flags(0)...)...)
	server.says(t, "serving")
	require.NoError(t, s.converse(t.Context(), func(said []string, _ int) error {
		s.wanted = said
		return nil
	}))
	require.Equal(t, "ai: The notes of release 2 are in RELEASE.md.", s.wanted[len(s.wanted)-1])
	require.Len(t, s.ledger.starts, 2, "it looks up, and announces")
	return s
}

func (s *siege) manifest(version int) string {
	return filepath.Join(s.dir, fmt.Sprintf("version-%d.yaml", version))
}

func (s *siege) flags(version int) []string {
	return []string{"-f", s.manifest(version), "--config", filepath.Join(s.dir, "serve.yaml")}
}

// add starts a worker.
func (s *siege) add(version int) {
	s.t.Helper()
	w := &worker{spawn(s.t, s.dir, append([]string{"worker"}, s.flags(version)...)...), version}
	w.says(s.t, "working")
	s.workers = append(s.workers, w)
}

// call sends a request to the server.
func (s *siege) call(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err = io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d: %s: %w", method, path, response.StatusCode, text, err)
	}
	return json.Unmarshal(text, out)
}

// asking is a thread as the API shows it.
type asking struct {
	Status     string `json:"status"`
	Interrupts map[string][]struct {
		ID    string `json:"id"`
		Value struct {
			Type     string `json:"type"`
			Requests []any  `json:"action_requests"`
		} `json:"value"`
	} `json:"interrupts"`
	Error any `json:"error"`
}

// converse lets the agent write, approves what it asks for, and lets what was cut off run again. At the end it calls done with what was said, and how often a
// person was asked what a tool did.
func (s *siege) converse(ctx context.Context, done func(said []string, asked int) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var made struct {
		ID string `json:"thread_id"`
	}
	if err := s.call(ctx, http.MethodPost, "/threads", map[string]any{}, &made); err != nil {
		return err
	}
	s.mu.Lock()
	s.talks[made.ID] = time.Now()
	s.mu.Unlock()
	say := map[string]any{"input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": "Write the notes of release 2."}}}}
	for asked := 0; ; {
		say["assistant_id"] = "release-writer"
		if err := s.call(ctx, http.MethodPost, "/threads/"+made.ID+"/runs", say, &struct{}{}); err != nil {
			return err
		}
		thread, err := s.wait(ctx, made.ID)
		switch {
		case err != nil:
			return err
		case thread.Status == "idle":
			s.end(made.ID, asked)
			return s.check(ctx, made.ID, asked, done)
		case thread.Status != "interrupted":
			return fmt.Errorf("the thread %s is %s: %v", made.ID, thread.Status, thread.Error)
		}
		answers := map[string]any{}
		for _, questions := range thread.Interrupts {
			for _, q := range questions {
				answers[q.ID] = map[string]any{"type": "retry"}
				if q.Value.Type == "unfinished_tool_call" {
					asked++
				} else {
					answers[q.ID] = map[string]any{"decisions": slices.Repeat([]any{map[string]any{"type": "approve"}}, len(q.Value.Requests))}
				}
			}
		}
		say = map[string]any{"command": map[string]any{"resume": answers}}
	}
}

// end notes the end of a conversation.
func (s *siege) end(thread string, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.asked, s.slowest = s.ended+1, s.asked+asked, max(s.slowest, time.Since(s.talks[thread]))
	delete(s.talks, thread)
}

// wait waits until a thread is not busy.
func (s *siege) wait(ctx context.Context, id string) (*asking, error) {
	for {
		var thread asking
		if err := s.call(ctx, http.MethodGet, "/threads/"+id, nil, &thread); err != nil {
			return nil, err
		}
		if thread.Status != "busy" {
			return &thread, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the thread %s is busy: %w", id, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// check checks what a conversation says, and what the ledger says of it.
func (s *siege) check(ctx context.Context, id string, asked int, done func(said []string, asked int) error) error {
	var state struct {
		Values struct {
			Messages []struct {
				Type, Name string
				Content    any
			} `json:"messages"`
		} `json:"values"`
	}
	if err := s.call(ctx, http.MethodGet, "/threads/"+id+"/state", nil, &state); err != nil {
		return err
	}
	var said []string
	for _, m := range state.Values.Messages {
		content := fmt.Sprint(m.Content)
		if tool, key, ok := strings.Cut(content, " "); ok && m.Type == "tool" && tool == m.Name {
			if starts := s.ledger.of(key); starts < 1 || tool == "announce" && starts > 1+asked {
				return fmt.Errorf("%s in the thread %s started %d times, and a person was asked %d times", tool, id, starts, asked)
			}
			s.ledger.settle(key)
			content = tool
		}
		line := m.Type + ": " + content
		if m.Name != "" && m.Type == "tool" {
			line = m.Name + ": " + content
		}
		said = append(said, line)
	}
	return done(said, asked)
}

// same holds a conversation against one without faults.
func (s *siege) same(said []string, _ int) error {
	if !slices.Equal(said, s.wanted) {
		return fmt.Errorf("the conversation was\n%s\nand should be\n%s", strings.Join(said, "\n"), strings.Join(s.wanted, "\n"))
	}
	return nil
}

// talk has conversations until the time is over, a few at once.
func (s *siege) talk(ctx context.Context, until time.Time, done func(said []string, asked int) error) func() error {
	group, ctx := errgroup.WithContext(ctx)
	for range 6 {
		group.Go(func() error {
			for time.Now().Before(until) {
				if err := s.converse(ctx, done); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait
}

// kill kills a worker with -9, and starts another one of its version.
func (s *siege) kill(at int) {
	s.t.Helper()
	w := s.workers[at]
	s.workers = slices.Delete(s.workers, at, at+1)
	w.kill()
	s.add(w.version)
}

// stop tells a worker to stop, and waits until it has.
func (s *siege) stop(at int) {
	s.t.Helper()
	w := s.workers[at]
	s.workers = slices.Delete(s.workers, at, at+1)
	require.NoError(s.t, w.Process.Signal(syscall.SIGTERM))
	<-w.gone
	require.True(s.t, w.ProcessState.Success(), w.said)
}

// freeze stops a worker for some time, as a machine does that swaps.
func (s *siege) freeze(at int, some time.Duration) {
	s.t.Helper()
	w := s.workers[at]
	require.NoError(s.t, w.Process.Signal(syscall.SIGSTOP))
	time.Sleep(some)
	require.NoError(s.t, w.Process.Signal(syscall.SIGCONT))
}

// upgrade starts workers of another version, and promotes it. The workers of the old one stay.
func (s *siege) upgrade(version int) (promoted time.Time) {
	s.t.Helper()
	for range 3 {
		s.add(version)
	}
	code, out := run(s.t, append([]string{"promote"}, s.flags(version)...)...)
	require.Zero(s.t, code, out)
	return time.Now()
}

// drained reports whether all conversations have ended that may have begun on the version before the one that was promoted then.
func (s *siege) drained(promoted time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, began := range s.talks {
		if began.Before(promoted.Add(3 * time.Second)) { // servers of Temporal hear of it a moment later
			return false
		}
	}
	return time.Since(promoted) > 3*time.Second
}

// retire stops the workers of all versions but one.
func (s *siege) retire(but int) {
	s.t.Helper()
	for at, w := range slices.Backward(s.workers) {
		if w.version != but {
			s.stop(at)
		}
	}
}

// report logs the figures of a siege, and checks that the ledger has nothing else.
func (s *siege) report(faults map[string]int) {
	s.t.Helper()
	s.t.Logf("%d conversations as if nothing had happened, the slowest %s; faults: %v; questions what a tool did: %d; tool calls: %d, started again: %d",
		s.ended, s.slowest.Round(100*time.Millisecond), faults, s.asked, len(s.ledger.starts), s.ledger.again())
	require.Empty(s.t, s.ledger.strays(), "each start belongs to a call of a conversation")
}

// Workers are replaced by those of another version, one deployment after the other, while the agent is used. Nobody notices.
func TestDeploymentsUnderLoad(t *testing.T) {
	t.Parallel()
	if os.Getenv("AGENTHOST_TEMPORAL") == "" {
		t.Skip("AGENTHOST_TEMPORAL is not set; make fleet-faults installs a server and sets it")
	}
	s := newSiege(t)
	until := time.Now().Add(time.Minute)
	wait := s.talk(t.Context(), until, s.same)
	deployments := 0
	for version := 1; time.Now().Before(until.Add(-10 * time.Second)); version = 1 - version {
		promoted := s.upgrade(version)
		require.Eventually(t, func() bool { return s.drained(promoted) }, 3*time.Minute, 50*time.Millisecond)
		s.retire(version)
		s.stop(0) // and a restart without another version
		s.add(version)
		deployments++
	}
	require.NoError(t, wait())
	s.report(map[string]int{"deployments": deployments})
	require.Zero(t, s.asked)
	require.Zero(t, s.ledger.again())
	require.Greater(t, deployments, 1)
}

// Three workers are killed, frozen, told to stop and upgraded at random. The ledger and the threads are as if nothing had happened.
func TestASiege(t *testing.T) {
	t.Parallel()
	lasts, err := time.ParseDuration(os.Getenv("AGENTHOST_FLEET_SIEGE"))
	if err != nil {
		t.Skip("AGENTHOST_FLEET_SIEGE says how long to besiege a fleet; make fleet-faults does")
	}
	s := newSiege(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	until := time.Now().Add(lasts)
	wait := s.talk(t.Context(), until, s.same)
	faults, version := map[string]int{}, 0
	var promoted time.Time // of the version, while workers of the other one are still there
	for time.Now().Before(until) {
		time.Sleep(time.Second + time.Duration(random.Int64N(int64(4*time.Second)))) // what a fault hits is luck
		at := random.IntN(len(s.workers))
		if !promoted.IsZero() && s.drained(promoted) {
			s.retire(version)
			promoted = time.Time{}
			faults["retired versions"]++
			continue
		}
		switch dice := random.IntN(10); {
		case dice < 5:
			s.kill(at)
			faults["kills"]++
		case dice < 8:
			s.freeze(at, 2*time.Second+time.Duration(random.Int64N(int64(8*time.Second))))
			faults["freezes"]++
		case dice < 9:
			stopped := s.workers[at].version
			s.stop(at)
			s.add(stopped)
			faults["restarts"]++
		case promoted.IsZero():
			version = 1 - version
			promoted = s.upgrade(version)
			faults["upgrades"]++
		}
	}
	require.NoError(t, wait())
	s.report(faults)
	require.Greater(t, s.ended, int(lasts/(10*time.Second)))
}
