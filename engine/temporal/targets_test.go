package temporal_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/temporal"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/temporalserver"
)

// results is the file that the measurement writes.
const results = "RESULTS.md"

// target is a number that is measured, and what it should be at most.
type target struct {
	what           string
	most, measured float64
	unit           string
}

func (t target) row() string {
	outcome := "met"
	if t.measured > t.most {
		outcome = fmt.Sprintf("**missed** by %.0f %%", 100*(t.measured-t.most)/t.most)
		if t.most == 0 {
			outcome = "**missed**"
		}
	}
	return fmt.Sprintf("| %s | ≤ %s%s | %s%s | %s |\n", t.what, figure(t.most), t.unit, figure(t.measured), t.unit, outcome)
}

// figure writes a number with three digits, or as a whole one.
func figure(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// yard is a fleet whose processes can be measured.
type yard struct {
	t        *testing.T
	database *pgtest.Server
	temporal *temporalserver.Server
}

// TestTheTargets measures what make bench-fleet promises, and writes it down. Differences are those of one run on one machine.
func TestTheTargets(t *testing.T) { //nolint:paralleltest // nothing else may run meanwhile
	kills, err := strconv.Atoi(os.Getenv("AGENTHOST_FLEET_BENCH"))
	if err != nil || kills < 1 {
		t.Skip("AGENTHOST_FLEET_BENCH says how many workers to kill; make bench-fleet does")
	}
	y := &yard{t: t, database: pgtest.Own(t)}
	y.temporal, err = temporalserver.Start(t.Context(), programs, y.database)
	require.NoError(t, err)
	t.Cleanup(y.temporal.Stop)
	load, err := os.ReadFile("/proc/loadavg")
	require.NoError(t, err)
	added := y.added()
	t.Log(added.table())
	recovered := y.recovery(kills)
	threads := 1000
	if text := os.Getenv("AGENTHOST_FLEET_WAITING"); text != "" {
		threads, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	waiting, tables := y.waiting(threads)

	var out bytes.Buffer
	fmt.Fprintf(&out, "# What a fleet costs\n\nWritten by `make bench-fleet KILLS=%d`: do not edit. %d processors, %s; load average at the start: %s. ", kills,
		runtime.NumCPU(), runtime.Version(), strings.Join(strings.Fields(string(load))[:3], " "))
	out.WriteString("All processes, Temporal 1.29 with 16 shards on PostgreSQL, and the databases share the machine; PostgreSQL does not wait for the disk. Each difference is between two engines, or two " +
		"states, that were measured in turns.\n\n| | target | measured | |\n|---|--:|--:|---|\n")
	for _, one := range slices.Concat(added.targets(), recovered, waiting) {
		out.WriteString(one.row())
	}
	out.WriteString(added.table() + tables)
	t.Log("\n" + out.String())
	require.NoError(t, os.WriteFile(results, out.Bytes(), 0o600))
}

// place returns where processes meet, with a database of its own, and what is open there.
func (y *yard) place(queue, engine string, ledger *ledger) (place, *opened) {
	y.t.Helper()
	p := place{
		Database: y.database.Database(y.t), Temporal: y.temporal.Address(), Queue: queue, Ledger: ledger.URL, Lease: 3 * time.Second, Engine: engine,
	}
	o, err := p.open(y.t.Context())
	require.NoError(y.t, err)
	y.t.Cleanup(o.Close)
	return p, o
}

// measured is what runs cost with an engine.
type measured struct{ wall, cpu float64 } // of a run, in milliseconds

// cost is what runs of some steps cost, by engines.
type cost map[int]map[string]measured

// The engines, and the lengths of runs in steps.
var (
	engines = []string{"process", "temporal"}
	lengths = []int{21, 201}
)

// added measures runs by turns.
func (y *yard) added() cost {
	out, submitted := cost{}, map[string]func(n, steps int) time.Duration{}
	ledger := newLedger(y.t)
	for _, name := range engines {
		p, o := y.place("bench-"+name, name, ledger)
		p.spawn(y.t)
		store := runs.Store(o.runs)
		if name == "temporal" {
			d, err := temporal.Dispatch(y.t.Context(), o.config, engine.Config{Store: o.runs, Agents: o.agents, Lease: p.Lease})
			require.NoError(y.t, err)
			y.t.Cleanup(func() { d.Close(context.Background()) })
			store = d.Store()
		}
		submitted[name] = y.runner(store, o, name)
	}
	for _, name := range engines { // fills caches; and a server of Temporal is busy when it has just started
		for round := range 3 {
			for _, steps := range lengths {
				submitted[name](1000+round, steps)
			}
		}
	}
	idle := y.idle()
	for _, steps := range lengths {
		out[steps] = map[string]measured{}
		walls, cpus := map[string][]float64{}, map[string][]float64{}
		for round := range 10 {
			for _, name := range engines {
				began, before := time.Now(), cpuTime(y.t)
				took := submitted[name](round, steps)
				spent := float64(cpuTime(y.t)-before) - idle*float64(time.Since(began))
				walls[name], cpus[name] = append(walls[name], took.Seconds()*1000), append(cpus[name], spent/1e6/repeats)
			}
		}
		for _, name := range engines {
			out[steps][name] = measured{middle(walls[name]), middle(cpus[name])}
		}
	}
	return out
}

// idle returns how much processor time all processes spend in a second while nothing runs, as a fraction of it. That is not a cost of runs.
func (y *yard) idle() float64 {
	began, before := time.Now(), cpuTime(y.t)
	time.Sleep(10 * time.Second)
	return float64(cpuTime(y.t)-before) / float64(time.Since(began))
}

// repeats is how many runs, one after the other, one measurement has: ticks of processor time are long.
const repeats = 5

// runner returns a function that performs some runs, and returns the time that one took.
func (y *yard) runner(store runs.Store, o *opened, name string) func(n, steps int) time.Duration {
	var mu sync.Mutex
	ended := map[string]chan struct{}{}
	listening, stop := context.WithCancel(context.Background())
	var stopped sync.WaitGroup
	stopped.Go(func() {
		_ = o.runs.Listen(listening, func(h runs.Hint) {
			mu.Lock()
			defer mu.Unlock()
			if c := ended[h.Run]; h.Kind == runs.HintEnd && c != nil {
				close(c)
				delete(ended, h.Run)
			}
		})
	})
	y.t.Cleanup(func() {
		stop()
		stopped.Wait()
	})
	return func(n, steps int) time.Duration {
		task := plan(slices.Repeat([]step{{Tool: "none"}}, steps/2)...)
		document, err := task.Document()
		require.NoError(y.t, err)
		began := time.Now()
		for i := range repeats {
			r := &runs.Run{
				Owner: "ann", ID: fmt.Sprintf("%s-%d-%d-%d", name, steps, n, i), Thread: fmt.Sprintf("t-%d-%d-%d", steps, n, i), Agent: "helper",
				Assistant: "a", Task: document,
			}
			over := make(chan struct{})
			mu.Lock()
			ended[r.ID] = over
			mu.Unlock()
			require.NoError(y.t, store.Submit(y.t.Context(), r, true, 0, nil))
			select {
			case <-over:
			case <-time.After(time.Minute):
			}
			got, err := o.runs.Run(y.t.Context(), r.Owner, r.ID)
			require.NoError(y.t, err)
			require.Equal(y.t, runs.Success, got.Status, "%+v", got.Failure)
		}
		return time.Since(began) / repeats
	}
}

func (c cost) targets() []target {
	short, long := lengths[0], lengths[1]
	added := func(steps int, of func(measured) float64) float64 {
		return of(c[steps]["temporal"]) - of(c[steps]["process"])
	}
	wall, cpu := func(m measured) float64 { return m.wall }, func(m measured) float64 { return m.cpu }
	return []target{
		{fmt.Sprintf("Temporal adds to a run of %d steps, wall time", short), 60, added(short, wall), " ms"},
		{"the same in processor time of all processes", 60, added(short, cpu), " ms"},
		{"Temporal adds to each further step, processor time", 0.1, (added(long, cpu) - added(short, cpu)) / float64(long-short), " ms"},
	}
}

func (c cost) table() string {
	var out strings.Builder
	out.WriteString("\n## A run, one after the other\n\n| steps | engine | wall time | processor time |\n|--:|---|--:|--:|\n")
	for _, steps := range lengths {
		for _, name := range engines {
			fmt.Fprintf(&out, "| %d | %s | %s ms | %s ms |\n", steps, name, figure(c[steps][name].wall), figure(c[steps][name].cpu))
		}
	}
	return out.String()
}

// recovery kills workers in the middle of an idempotent tool, and measures how long it takes until another worker starts the tool again.
func (y *yard) recovery(kills int) []target {
	f := &field{t: y.t, ledger: newLedger(y.t)}
	f.place, f.opened = y.place("bench-kills", "temporal", f.ledger)
	d, err := temporal.Dispatch(y.t.Context(), f.config, engine.Config{Store: f.runs, Agents: f.agents, Lease: f.place.Lease})
	require.NoError(y.t, err)
	y.t.Cleanup(func() { d.Close(context.Background()) })
	f.server = d.Store()
	workers := map[int]*process{}
	add := func() {
		w := f.place.spawn(y.t)
		workers[w.Process.Pid] = w
	}
	add()
	add()
	var took []float64
	asked, twice := 0, 0
	for i := range kills {
		thread := fmt.Sprint("kill-", i)
		r := f.submit(thread, plan(step{"again", 500}, step{"work", 0}))
		hit := f.ledger.began(y.t, thread)
		killed := time.Now()
		workers[hit.pid].kill()
		delete(workers, hit.pid)
		add()
		asked += f.settle(r)
		took = append(took, f.ledger.of(thread)[1].began.Sub(killed).Seconds())
		if starts := f.ledger.starts(thread); !slices.Equal(starts, []int{2, 1}) {
			twice++
		}
	}
	for _, w := range workers {
		w.kill()
	}
	slices.Sort(took)
	p99 := took[min(len(took)-1, len(took)*99/100)]
	y.t.Logf("recovery: median %.2f s, most %.2f s of %d", middle(took), took[len(took)-1], kills)
	return []target{
		{fmt.Sprintf("recovery from kill -9, lease 3 s, p99 of %d kills (median %s s)", kills, figure(middle(took))), 5, p99, " s"},
		{"calls that started again besides the one that was hit", 0, float64(twice), ""},
		{"questions to people, the tool being idempotent", 0, float64(asked), ""},
	}
}

// waiting lets threads wait for people, and measures what they take. It also returns which tables take the space.
func (y *yard) waiting(threads int) ([]target, string) {
	f := &field{t: y.t, ledger: newLedger(y.t)}
	f.place, f.opened = y.place("bench-waiting", "temporal", f.ledger)
	d, err := temporal.Dispatch(y.t.Context(), f.config, engine.Config{Store: f.runs, Agents: f.agents, Lease: f.place.Lease})
	require.NoError(y.t, err)
	y.t.Cleanup(func() { d.Close(context.Background()) })
	f.server = d.Store()
	empty := y.memory(f)
	disk, before := y.disk(), y.tables()
	w := f.place.spawn(y.t)
	task := plan(step{"ask", 0})
	document, err := task.Document()
	require.NoError(y.t, err)
	for i := range threads {
		id := fmt.Sprint("waits-", i)
		r := &runs.Run{Owner: "ann", ID: id, Thread: id, Agent: "helper", Assistant: "a", Task: document}
		require.NoError(y.t, f.server.Submit(y.t.Context(), r, true, 0, nil))
	}
	require.Eventually(y.t, func() bool {
		_, waiting, err := f.runs.FindThreads(y.t.Context(), "ann", &runs.ThreadQuery{Status: runs.ThreadInterrupted, Page: runs.Page{Limit: 1}})
		require.NoError(y.t, err)
		return waiting == threads
	}, 30*time.Minute, time.Second, "all wait for people")
	taken, after := y.disk()-disk, y.tables()
	w.kill()
	targets := []target{
		{fmt.Sprintf("memory of a restarted worker with %d threads that wait, more than with none", threads), 10, (y.memory(f) - empty) / 1e6, " MB"},
		{"disk for each thread that waits, in all databases", 40, taken / 1e3 / float64(threads), " kB"},
	}
	return targets, spaceTable(before, after, threads)
}

// memory returns the resident memory of a new worker that has nothing to do.
func (y *yard) memory(f *field) float64 {
	w := f.place.spawn(y.t)
	defer w.kill()
	time.Sleep(5 * time.Second) // it polls
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.Process.Pid))
	require.NoError(y.t, err)
	_, rest, found := strings.Cut(string(text), "VmRSS:")
	require.True(y.t, found)
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	require.NoError(y.t, err)
	return kilobytes * 1024
}

// disk returns the size of all databases in bytes.
func (y *yard) disk() (size float64) {
	conn, err := pgx.Connect(y.t.Context(), y.database.Address("postgres"))
	require.NoError(y.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(y.t.Context(), "CHECKPOINT")
	require.NoError(y.t, err)
	require.NoError(y.t, conn.QueryRow(y.t.Context(), "SELECT sum(pg_database_size(oid))::float8 FROM pg_database").Scan(&size))
	return size
}

// table is a table of a database.
type table struct{ database, name string }

// space is what a table takes in bytes.
type space struct{ rows, indexes float64 } // rows: with what is stored out of line

// tables returns what each table of each database takes.
func (y *yard) tables() map[table]space {
	out := map[table]space{}
	for _, database := range y.names() {
		conn, err := pgx.Connect(y.t.Context(), y.database.Address(database))
		require.NoError(y.t, err)
		found, err := conn.Query(y.t.Context(), "SELECT relname, pg_table_size(oid)::float8, pg_indexes_size(oid)::float8 FROM pg_class WHERE relkind = 'r'")
		require.NoError(y.t, err)
		var name string
		var s space
		_, err = pgx.ForEachRow(found, []any{&name, &s.rows, &s.indexes}, func() error {
			out[table{database, name}] = s
			return nil
		})
		require.NoError(y.t, err)
		require.NoError(y.t, conn.Close(y.t.Context()))
	}
	return out
}

// names returns the names of the databases.
func (y *yard) names() []string {
	conn, err := pgx.Connect(y.t.Context(), y.database.Address("postgres"))
	require.NoError(y.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	found, err := conn.Query(y.t.Context(), "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname")
	require.NoError(y.t, err)
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(y.t, err)
	return names
}

// spaceTable says which tables grew, the one that grew most first, as far as it is more than 0.1 kB for each thread.
func spaceTable(before, after map[table]space, threads int) string {
	grown := map[table]space{}
	for at, s := range after {
		grown[at] = space{(s.rows - before[at].rows) / 1e3 / float64(threads), (s.indexes - before[at].indexes) / 1e3 / float64(threads)}
	}
	order := slices.SortedFunc(maps.Keys(grown), func(a, b table) int {
		x, y := grown[a], grown[b]
		return cmp.Or(cmp.Compare(y.rows+y.indexes, x.rows+x.indexes), cmp.Compare(a.name, b.name))
	})
	var out strings.Builder
	out.WriteString("\n## Disk for each thread that waits\n\n| of | table | rows | indexes |\n|---|---|--:|--:|\n")
	for _, at := range order {
		of := at.database
		if !strings.HasPrefix(of, "temporal") {
			of = "agenthost"
		}
		if s := grown[at]; s.rows+s.indexes > 0.1 {
			fmt.Fprintf(&out, "| %s | `%s` | %s kB | %s kB |\n", of, at.name, figure(s.rows), figure(s.indexes))
		}
	}
	return out.String()
}

// cpuTime returns the processor time of this process and of all that descend from it.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	parents, spent := map[int]int{}, map[int]int{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended; its parent has its time
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		require.NoError(t, err)
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the third field is the first of these
		number := func(field int) int {
			n, err := strconv.Atoi(fields[field-3])
			require.NoError(t, err)
			return n
		}
		parents[pid] = number(4)
		for field := 14; field <= 17; field++ {
			spent[pid] += number(field)
		}
	}
	ticks := 0
	for pid := range parents {
		for at := pid; at > 1; at = parents[at] {
			if at == os.Getpid() {
				ticks += spent[pid]
				break
			}
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// middle returns the median.
func middle(of []float64) float64 {
	sorted := slices.SortedFunc(slices.Values(of), cmp.Compare[float64])
	return sorted[len(sorted)/2]
}
