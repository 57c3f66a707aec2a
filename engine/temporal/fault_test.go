package temporal_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/temporalserver"
)

// faults returns how many faults of a kind to cause. Without AGENTHOST_FAULTS the test is skipped: it takes minutes.
func faults(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("AGENTHOST_FAULTS"))
	if err != nil || n < 1 {
		t.Skip("AGENTHOST_FAULTS says how many faults to cause; make fleet-faults does")
	}
	return n
}

// field is a fleet of processes, and the server that gives them runs.
type field struct {
	*opened

	place  place
	t      *testing.T
	ledger *ledger
	server runs.Store
	n      int
}

// newField sets up what the processes share. They find Temporal at an address; "": the one of all tests.
func newField(t *testing.T, database, at string) *field {
	t.Helper()
	if at == "" {
		at = shared(t).FrontendHostPort()
	}
	f := &field{t: t, ledger: newLedger(t)}
	f.place = place{Database: database, Temporal: at, Queue: queueOf(t), Ledger: f.ledger.URL, Lease: 3 * time.Second}
	var err error
	f.opened, err = f.place.open(t.Context())
	require.NoError(t, err)
	t.Cleanup(f.Close)
	d, err := temporal.Dispatch(t.Context(), f.config, engine.Config{Store: f.runs, Agents: f.agents, Lease: f.place.Lease})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close(context.Background()) })
	f.server = d.Store()
	return f
}

// submit submits a run, whatever that takes.
func (f *field) submit(thread string, task runs.Task) *runs.Run {
	f.t.Helper()
	document, err := task.Document()
	require.NoError(f.t, err)
	f.n++
	r := &runs.Run{Owner: "ann", ID: fmt.Sprint(f.place.Queue, "-", f.n), Thread: thread, Agent: "helper", Assistant: "a", Task: document}
	require.Eventually(f.t, func() bool { return f.server.Submit(f.t.Context(), r, true, 0, nil) == nil }, time.Minute, 100*time.Millisecond)
	return r
}

func plan(steps ...step) runs.Task {
	text, err := json.Marshal(steps)
	if err != nil {
		panic(err) // of words and numbers
	}
	return say(string(text))
}

// over waits for the end of a run.
func (f *field) over(r *runs.Run) *runs.Run {
	f.t.Helper()
	var got *runs.Run
	require.Eventually(f.t, func() bool {
		var err error
		got, err = f.runs.Run(f.t.Context(), r.Owner, r.ID)
		return err == nil && got.Status.Over()
	}, 2*time.Minute, 10*time.Millisecond, "the run %s of %s", r.ID, r.Thread)
	return got
}

// settle waits for the end of a run, and lets a person say retry whenever the agent asks what a tool did. It returns how often it asked.
func (f *field) settle(r *runs.Run) (asked int) {
	f.t.Helper()
	for {
		ended := f.over(r)
		require.Equal(f.t, runs.Success, ended.Status, "%+v", ended.Failure)
		t, err := f.runs.Thread(f.t.Context(), "ann", r.Thread)
		require.NoError(f.t, err)
		if len(t.Waiting) == 0 {
			return asked
		}
		require.Len(f.t, t.Waiting, 1)
		require.Contains(f.t, string(t.Waiting[0].Value), `"unfinished_tool_call"`)
		asked++
		r = f.submit(r.Thread, runs.Task{Answers: []runs.Answer{{
			Interrupt: t.Waiting[0].ID, Value: wire.Map{{Key: "type", Value: wire.String("retry")}}.Raw(), By: "operator",
		}}})
	}
}

// last returns the last message of a thread.
func (f *field) last(thread string) string {
	f.t.Helper()
	held, err := f.threads.Load(f.t.Context(), runs.ThreadName("ann", thread), 0)
	require.NoError(f.t, err)
	messages := held.Log.List()
	return messages.At(messages.Len() - 1).Content.Text()
}

func TestKills(t *testing.T) {
	t.Parallel()
	kills := faults(t)
	f := newField(t, pgtest.Address(t), "")
	workers := map[int]*process{}
	add := func() {
		w := f.place.spawn(t)
		workers[w.Process.Pid] = w
	}
	add()
	add()
	var recovered []time.Duration
	for i := range kills {
		thread, name := fmt.Sprint("kill-", i), []string{"work", "again"}[i%2]
		r := f.submit(thread, plan(step{name, 700}, step{"work", 0}, step{"again", 0}))
		hit := f.ledger.began(t, thread)
		killed := time.Now()
		workers[hit.pid].kill()
		delete(workers, hit.pid)
		add()
		asked := f.settle(r)
		require.Equal(t, []int{2, 1, 1}, f.ledger.starts(thread), "only the call that was hit starts again, with the same key")
		require.Equal(t, map[string]int{"work": 1, "again": 0}[name], asked)
		require.Equal(t, "done", f.last(thread))
		if name == "again" {
			recovered = append(recovered, f.ledger.of(thread)[1].began.Sub(killed))
		}
	}
	slices.Sort(recovered)
	if n := len(recovered); n > 0 {
		t.Logf("recovery of %d idempotent tools: median %s, most %s", n, recovered[n/2], recovered[n-1])
	}
}

func TestAFrozenWorker(t *testing.T) {
	t.Parallel()
	faults(t)
	f := newField(t, pgtest.Address(t), "")
	workers := map[int]*process{}
	for range 2 {
		w := f.place.spawn(t)
		workers[w.Process.Pid] = w
	}
	r := f.submit("t", plan(step{"again", 1000}, step{"work", 0}))
	frozen := workers[f.ledger.began(t, "t").pid]
	frozen.signal(t, syscall.SIGSTOP)
	require.Zero(t, f.settle(r))
	head, err := f.threads.Load(t.Context(), runs.ThreadName("ann", "t"), 0)
	require.NoError(t, err)
	frozen.signal(t, syscall.SIGCONT)
	require.Eventually(t, func() bool { return f.ledger.of("t")[0].ended || len(f.ledger.of("t")) > 3 }, 30*time.Second, 10*time.Millisecond,
		"the worker that woke goes on with its tool")
	next := f.submit("t", plan(step{"work", 0}))
	require.Zero(t, f.settle(next))
	require.Equal(t, []int{2, 1, 1}, f.ledger.starts("t"), "the idempotent tool overlapped, with one key; nothing else did")
	held, err := f.threads.Load(t.Context(), runs.ThreadName("ann", "t"), 0)
	require.NoError(t, err)
	require.Greater(t, held.Newest, head.Newest)
	require.Equal(t, "done", f.last("t"))
}

func TestAWorkerThatIsToldToStop(t *testing.T) {
	t.Parallel()
	faults(t)
	f := newField(t, pgtest.Address(t), "")
	first := f.place.spawn(t)
	r := f.submit("t", plan(step{"work", 2000}, step{"work", 0}))
	f.ledger.began(t, "t")
	first.signal(t, syscall.SIGTERM)
	f.place.spawn(t)
	require.Zero(t, f.settle(r), "nobody is asked")
	require.Equal(t, []int{1, 1}, f.ledger.starts("t"))
	<-first.gone
	require.True(t, first.ProcessState.Success())
}

func TestAQuestionOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	faults(t)
	f := newField(t, pgtest.Address(t), "")
	first := f.place.spawn(t)
	f.over(f.submit("t", plan(step{"work", 0}, step{"ask", 0}, step{"work", 0})))
	first.kill()
	f.place.spawn(t)
	waiting, err := f.runs.Thread(t.Context(), "ann", "t")
	require.NoError(t, err)
	require.Len(t, waiting.Waiting, 1)
	require.Zero(t, f.settle(f.submit("t", answer(waiting.Waiting[0].ID))))
	require.Equal(t, []int{1, 1}, f.ledger.starts("t"))
}

func TestManyThreads(t *testing.T) {
	t.Parallel()
	performedByTwo(t, 10, 10) // to threads whose workflows end in between
}

// A crowd of threads is performed by all workers alike.
func TestAThousandThreads(t *testing.T) {
	t.Parallel()
	pids := performedByTwo(t, 1000, 1)
	total := 0
	for _, n := range pids {
		total += n
	}
	for pid, n := range pids {
		require.Greater(t, n, total/4, "the worker %d had its share", pid)
	}
}

// performedByTwo lets two workers perform a number of runs in each of some threads, and returns how much each worker did, by its process. Each run must
// be performed once, and both workers must work.
func performedByTwo(t *testing.T, threads, each int) (pids map[int]int) {
	t.Helper()
	faults(t)
	f := newField(t, pgtest.Address(t), "")
	f.place.spawn(t)
	f.place.spawn(t)
	var all []*runs.Run
	for i := range threads * each {
		all = append(all, f.submit(fmt.Sprint("t", i%threads), plan(step{"work", 0})))
	}
	for _, r := range all {
		require.Zero(t, f.settle(r))
	}
	pids = map[int]int{}
	for i := range threads {
		thread := fmt.Sprint("t", i)
		require.Equal(t, slices.Repeat([]int{1}, each), f.ledger.starts(thread))
		for _, e := range f.ledger.of(thread) {
			pids[e.pid]++
		}
	}
	require.Len(t, pids, 2, "both workers worked")
	return pids
}

// development is a server of Temporal that a test may stop and start again. It keeps what it has in a file.
type development struct {
	t    *testing.T
	args []string
	port string
	cmd  *exec.Cmd
}

func newDevelopment(t *testing.T) *development {
	t.Helper()
	shared(t) // skips the test without a binary
	path, err := filepath.Abs(filepath.Join(programs, "temporal"))
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	d := &development{t: t, port: port, args: []string{
		path, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port, "--db-filename", filepath.Join(t.TempDir(), "temporal.db"),
		"--log-level", "never", "--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000",
	}}
	d.start()
	t.Cleanup(d.kill)
	return d
}

func (d *development) address() string { return "127.0.0.1:" + d.port }

func (d *development) start() {
	d.t.Helper()
	d.cmd = exec.CommandContext(context.Background(), d.args[0], d.args[1:]...)
	require.NoError(d.t, d.cmd.Start())
	require.Eventually(d.t, func() bool {
		c, err := temporal.Dial(d.t.Context(), temporal.Server{Address: d.address()})
		if err == nil {
			c.Close()
		}
		return err == nil
	}, time.Minute, 100*time.Millisecond)
}

func (d *development) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

func TestAnOutageOfTemporal(t *testing.T) {
	t.Parallel()
	faults(t)
	server := newDevelopment(t)
	f := newField(t, pgtest.Address(t), server.address())
	f.place.spawn(t)
	f.place.spawn(t)
	var all []*runs.Run
	for i := range 10 {
		all = append(all, f.submit(fmt.Sprint("t", i), plan(step{"work", 4000}, step{"work", 0})))
	}
	for i := range all {
		f.ledger.began(t, all[i].Thread)
	}
	server.kill()
	late := f.submit("late", plan(step{"work", 0})) // is accepted all the same
	time.Sleep(3 * time.Second)                     // the outage
	server.start()
	for _, r := range append(all, late) {
		require.Zero(t, f.settle(r), "nobody is asked")
	}
	for i := range all {
		require.Equal(t, []int{1, 1}, f.ledger.starts(all[i].Thread))
	}
}

func TestARestartOfPostgres(t *testing.T) {
	t.Parallel()
	faults(t)
	database := pgtest.Own(t)
	f := newField(t, database.Database(t), "")
	f.place.spawn(t)
	f.place.spawn(t)
	var all []*runs.Run
	for i := range 6 {
		all = append(all, f.submit(fmt.Sprint("t", i), plan(step{[]string{"work", "again"}[i%2], 1500}, step{"work", 0})))
	}
	for _, r := range all {
		f.ledger.began(t, r.Thread)
	}
	require.NoError(t, database.Restart())
	asked := 0
	for _, r := range all {
		n := f.settle(r)
		asked += n
		starts := f.ledger.starts(r.Thread)
		require.LessOrEqual(t, starts[0], cmp.Or(2*n, 2), "a tool starts again if it is idempotent, or if a person says so")
		if r.Thread[1]%2 == 0 {
			require.Equal(t, 1+n, starts[0])
		}
		require.Equal(t, 1, starts[1])
	}
	t.Logf("questions: %d", asked)
}

// Temporal's own database restarts: runs go on meanwhile, and nobody is asked.
func TestARestartOfTemporalsDatabase(t *testing.T) {
	t.Parallel()
	faults(t)
	if os.Getenv(serverVariable) != "postgres" {
		t.Skip("the development server has no database of its own; make fleet-faults-postgres has one")
	}
	database := pgtest.Own(t)
	server, err := temporalserver.Start(t.Context(), programs, database)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	f := newField(t, pgtest.Address(t), server.Address())
	f.place.spawn(t)
	f.place.spawn(t)
	var all []*runs.Run
	for i := range 6 {
		all = append(all, f.submit(fmt.Sprint("t", i), plan(step{"work", 2000}, step{"work", 0})))
	}
	for _, r := range all {
		f.ledger.began(t, r.Thread)
	}
	require.NoError(t, database.Restart())
	late := f.submit("late", plan(step{"work", 0}))
	for _, r := range append(all, late) {
		require.Zero(t, f.settle(r), "nobody is asked")
	}
	for _, r := range all {
		require.Equal(t, []int{1, 1}, f.ledger.starts(r.Thread))
	}
}
