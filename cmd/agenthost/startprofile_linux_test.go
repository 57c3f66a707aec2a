package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/ratio"
)

// profiles says that TestStartProfile writes its file; make profiles does.
var profiles = flag.Bool("profiles", false, "write what a start costs, and where its time goes, into bench/profiles/start.txt; needs perf")

const startProfile = "../../bench/profiles/start.txt"

// A startRow is a line of the profile that the test holds.
type startRow struct {
	what  string
	of    func(s *countedRun) float64
	slack float64 // besides a twentieth of the number: what machines and the runtime's timing change
}

var startRows = []startRow{
	{"allocations from main to the end of the run", func(s *countedRun) float64 { return float64(s.Allocations) }, 100},
	{"kB allocated meanwhile", func(s *countedRun) float64 { return float64(s.Allocated) / 1000 }, 50},
	{"garbage collections meanwhile", func(s *countedRun) float64 { return float64(s.Collections) }, 0},
	{"calls of read", func(s *countedRun) float64 { return float64(s.Reads) }, 20},
	{"kB read", func(s *countedRun) float64 { return float64(s.Read) / 1000 }, 20},
	{"allocations of our packages' variables before main", func(s *countedRun) float64 { return float64(ourInits(s.inits).allocations) }, 20},
	{"kB of them", func(s *countedRun) float64 { return float64(ourInits(s.inits).bytes) / 1000 }, 5},
}

// countedRun is what a run in a process of its own counted.
type countedRun struct {
	startCounts

	inits []packageInit
}

// packageInit is what the variables and init functions of a package cost.
type packageInit struct {
	name               string
	milliseconds       float64
	bytes, allocations int
}

// TestStartProfile holds what a start does, without plugins and with three, whose compiled code is in the cache: TestMain lets the test
// binary be the command. The committed profile has the numbers, beside those that depend on the machine.
func TestStartProfile(t *testing.T) { //nolint:paralleltest // with -profiles, it measures times
	if ratio.Race {
		t.Skip("the race detector allocates memory too")
	}
	if !*profiles {
		t.Parallel()
	}
	none, three := startOnce(t), startOnce(t, startPlugins...)
	if *profiles {
		require.NoError(t, os.WriteFile(startProfile, []byte(wholeStartProfile(t, none, three)), 0o644))
	}
	committed, err := os.ReadFile(startProfile)
	require.NoError(t, err)
	for _, row := range startRows {
		var most [2]float64
		_, rest, found := strings.Cut(string(committed), row.what+" ")
		require.True(t, found, "%s is not in the profile: run make profiles", row.what)
		_, err = fmt.Sscan(rest, &most[0], &most[1])
		require.NoError(t, err)
		for i, s := range []*countedRun{none, three} {
			require.LessOrEqual(t, row.of(s), most[i]*1.05+row.slack, "%s, %d plugins: find out why, or run make profiles and say why in the commit",
				row.what, i*len(startPlugins))
		}
	}
}

// startOnce runs the test binary as the command, the second time with a full cache, and returns what it counted.
func startOnce(t *testing.T, plugins ...string) *countedRun {
	t.Helper()
	manifest := startManifest(t, "{provider: scripted, turns: [{content: hello}]}", plugins...)
	self, err := os.Executable()
	require.NoError(t, err)
	var s countedRun
	for _, debug := range []string{"", "", "inittrace=1"} {
		command := exec.CommandContext(t.Context(), self, "run", "--quiet", "-f", manifest, "hi")
		command.Env = append(os.Environ(), asCounted+"=1", "GODEBUG="+debug, "GOGC=")
		var errs bytes.Buffer
		command.Stderr = &errs
		out, err := command.Output()
		require.NoError(t, err, "%s", &errs)
		answer, counts, _ := strings.Cut(string(out), "\n")
		require.Equal(t, "hello", answer)
		if debug == "" {
			require.NoError(t, json.Unmarshal([]byte(counts), &s.startCounts))
		} else {
			s.inits = packageInits(t, errs.String())
		}
	}
	return &s
}

// packageInits reads what GODEBUG=inittrace=1 prints.
func packageInits(tb testing.TB, text string) (all []packageInit) {
	tb.Helper()
	for line := range strings.Lines(text) {
		var p packageInit
		var at float64
		if _, err := fmt.Sscanf(line, "init %s @%g ms, %g ms clock, %d bytes, %d allocs", &p.name, &at, &p.milliseconds, &p.bytes, &p.allocations); err == nil {
			all = append(all, p)
		}
	}
	require.Greater(tb, len(all), 100)
	return all
}

// ourInits returns the sum of our packages, but those that only tests have.
func ourInits(all []packageInit) packageInit {
	const ours = "github.com/agenthost/agenthost/"
	const test, itself = ours + "test/", ours + "cmd/agenthost"
	var kept []packageInit
	for _, p := range all {
		if strings.HasPrefix(p.name, ours) && !strings.HasPrefix(p.name, test) && p.name != itself && !strings.HasSuffix(p.name, "_test") {
			kept = append(kept, p)
		}
	}
	return sumOf(kept)
}

func sumOf(all []packageInit) (sum packageInit) {
	for _, p := range all {
		sum.milliseconds, sum.bytes, sum.allocations = sum.milliseconds+p.milliseconds, sum.bytes+p.bytes, sum.allocations+p.allocations
	}
	return sum
}

// wholeStartProfile measures starts of the built command too.
func wholeStartProfile(t *testing.T, none, three *countedRun) string {
	t.Helper()
	c := newColdStarts(t)
	var out bytes.Buffer
	const line = "%-64s %10.0f %10.0f\n"
	fmt.Fprintf(&out, "A start of agenthost run: make profiles wrote this.\n\nHeld by TestStartProfile in cmd/agenthost, whose model is scripted:\n%-64s %10s %10s\n",
		"", "no plugins", "3 plugins")
	for _, row := range startRows {
		fmt.Fprintf(&out, line, row.what, row.of(none), row.of(three))
	}
	without, with := c.measure(startManifest(t, c.model)), c.measure(startManifest(t, c.model, startPlugins...))
	fmt.Fprintf(&out, "\nMedians of %d whole runs of the command, whose model is a server; other programs may have used the machine too:\n", starts)
	for _, name := range []string{spent, spentInKernel, "page faults", "MB of memory at most"} {
		fmt.Fprintf(&out, "%-64s %10.1f %10.1f\n", name, without.medians[name], with.medians[name])
	}
	for _, group := range []struct {
		title string
		parts []startPart
	}{
		{"Where that time goes, in ms, by perf; an indented line is a part of the one above it:", startParts},
		{"What it is spent for in all of these parts, in ms:", startCauses},
	} {
		fmt.Fprintf(&out, "\n%s\n", group.title)
		for _, p := range group.parts {
			fmt.Fprintf(&out, "%-64s %10.2f %10.2f\n", p.what, without.share(p), with.share(p))
		}
	}
	inits := c.inits()
	sum, ours := sumOf(inits), ourInits(inits)
	fmt.Fprintf(&out, "\nPackage variables and init functions of the command before main (GODEBUG=inittrace=1):\n  allocations      bytes  package\n")
	fmt.Fprintf(&out, "%13d %10d  all %d packages\n%13d %10d  ours\n", sum.allocations, sum.bytes, len(inits), ours.allocations, ours.bytes)
	slices.SortFunc(inits, func(a, b packageInit) int { return cmp.Or(b.bytes-a.bytes, strings.Compare(a.name, b.name)) })
	for _, p := range inits[:20] {
		fmt.Fprintf(&out, "%13d %10d  %s\n", p.allocations, p.bytes, p.name)
	}
	return out.String()
}

// starts is how many starts are measured.
const starts = 40

// What is measured of a start.
const (
	spent         = "ms of processor time"
	spentInKernel = "ms of it in the kernel"
)

// A startPart is a part of the start that some functions do.
type startPart struct {
	what      string
	functions []string
}

const inPlugin = "github.com/agenthost/agenthost/host/plugin."

var startParts = []startPart{
	{"the program is executed and linked", []string{"__x64_sys_execve", "_dl_start_user"}},
	{"Go's runtime begins", []string{"runtime.schedinit"}},
	{"package variables and init functions", []string{"runtime.doInit1"}},
	{"main", []string{"main.main"}},
	{"  the commands and their flags", []string{"main.(*app).root"}},
	{"  the manifest is read", []string{"github.com/agenthost/agenthost/manifest.Load"}},
	{"  the agent is built", []string{"github.com/agenthost/agenthost/manifest.(*Manifest).Build"}},
	{"    plugins are loaded", []string{inPlugin + "Wasm.Load"}},
	{"      the module is read and hashed", []string{inPlugin + "Wasm.Open"}},
	{"      its metered form is read and hashed", []string{inPlugin + "(*Engine).found"}},
	{"      the modules that it imports are made", []string{inPlugin + "(*abiCode).instantiateHost"}},
	{"      wazero decodes it", []string{"github.com/tetratelabs/wazero/internal/wasm/binary.DecodeModule"}},
	{"      wazero validates it", []string{"github.com/tetratelabs/wazero/internal/wasm.(*Module).Validate"}},
	{"      wazero reads its compiled code", []string{"github.com/tetratelabs/wazero/internal/engine/wazevo.(*engine).getCompiledModuleFromCache"}},
	{"      an instance describes the plugin", []string{inPlugin + "(*Plugin).describe"}},
	{"      its configuration is checked", []string{inPlugin + "(*Plugin).setConfig"}},
	{"      the first instance is made and configured", []string{inPlugin + "(*pool).take"}},
	{"  the run", []string{"main.(*limitedRun).perform"}},
}

var startCauses = []startPart{
	{"page faults", []string{"asm_exc_page_fault"}},
	{"system calls", []string{"do_syscall_64"}},
	{"allocation", []string{"runtime.mallocgc"}},
	{"garbage collection", []string{"runtime.gcBgMarkWorker", "runtime.gcStart", "runtime.bgsweep"}},
}

// measuredStarts is what the starts of the command with one manifest took.
type measuredStarts struct {
	medians map[string]float64
	percent map[string]float64 // of the processor time, by function, with what it calls
}

func (m *measuredStarts) share(p startPart) (sum float64) {
	for _, function := range p.functions {
		sum += m.percent[function] / 100 * m.medians[spent]
	}
	return sum
}

// measure starts the command many times, and again under perf.
func (c *coldStarts) measure(manifest string) *measuredStarts {
	c.Helper()
	c.start(manifest) // fills the cache
	all := map[string][]float64{}
	for range starts {
		_, used := c.start(manifest)
		kernel := float64(time.Duration(used.Stime.Nano()).Microseconds()) / 1000
		for name, value := range map[string]float64{
			spent:         kernel + float64(time.Duration(used.Utime.Nano()).Microseconds())/1000,
			spentInKernel: kernel, "page faults": float64(used.Minflt), "MB of memory at most": float64(used.Maxrss) * 1024 / 1e6,
		} {
			all[name] = append(all[name], value)
		}
	}
	m := &measuredStarts{medians: map[string]float64{}, percent: map[string]float64{}}
	for name, values := range all {
		slices.Sort(values)
		m.medians[name] = values[len(values)/2]
	}
	data := filepath.Join(c.TempDir(), "perf.data")
	loop := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do "$@" >&2 || exit; i=$((i+1)); done`, starts)
	c.output("perf", append([]string{"record", "-q", "-F", "15000", "-g", "-o", data, "--", "sh", "-c", loop, "sh"}, c.run(manifest)...)...)
	report := c.output("perf", "report", "-i", data, "--comm", "agenthost", "--percentage", "relative", "--children", "--stdio", "-g", "none")
	for line := range strings.Lines(report) {
		before, function, found := strings.Cut(strings.Replace(line, "[k]", "[.]", 1), "[.]")
		share, _, _ := strings.Cut(strings.TrimSpace(before), "%")
		if percent, err := strconv.ParseFloat(share, 64); found && err == nil {
			m.percent[strings.TrimSpace(function)] += percent
		}
	}
	require.Greater(c, m.percent["main.main"], 1.0, "perf found no functions:\n%.500s", report)
	return m
}

// inits returns the inits of the command.
func (c *coldStarts) inits() []packageInit {
	c.Helper()
	command := exec.CommandContext(c.Context(), c.command, "--version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var errs bytes.Buffer
	command.Stdout, command.Stderr = io.Discard, &errs
	require.NoError(c, command.Run())
	return packageInits(c, errs.String())
}

func (c *coldStarts) output(name string, args ...string) string {
	c.Helper()
	command := exec.CommandContext(c.Context(), name, args...)
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	require.NoError(c, err, "%s", &errs)
	return string(out)
}
