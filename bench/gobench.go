package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A metric is one number that a benchmark of agenthost itself reports.
type metric struct {
	title  string
	pkg    string // below host, or the whole path
	bench  string // as go test prints it
	run    string // the pattern to run, if it is not bench
	unit   string
	format func(float64) string
	free   bool // not pinned to one core, because it runs things in parallel
}

// guestSuite runs agenthost's own benchmarks, whose sources show how they measure.
func guestSuite() *Suite {
	outputs := benchmarkOutputs{}
	s := &Suite{
		Name: "guest", Title: "what guests cost: calls, layers, meters, stopping; and an idle thread", Unit: "value",
		Measure: func(ctx context.Context, o *Options, row Row, _ Case) (*Measurement, error) {
			i := slices.IndexFunc(metrics, func(m metric) bool { return m.title == row.Label })
			return outputs.measure(ctx, o, &metrics[i])
		},
		Cases: []Case{{"value", "measured"}},
		Lone:  true,
	}
	for _, m := range metrics {
		s.Rows = append(s.Rows, Row{Label: m.title, Peer: "agenthost", Format: m.format})
	}
	return s
}

// benchmarkOutputs holds the last output of each benchmark. Some have numbers of several metrics.
type benchmarkOutputs map[benchmarkKey]*benchmarkOutput

type benchmarkKey struct{ pkg, run string }

type benchmarkOutput struct {
	text string
	read map[string]bool // by the metric's title
}

// measure finds the metric in the output of its benchmark, which runs again when the metric has been read from the last output.
func (b benchmarkOutputs) measure(ctx context.Context, o *Options, m *metric) (*Measurement, error) {
	key := benchmarkKey{m.pkg, cmp.Or(m.run, m.bench)}
	last := b[key]
	if last == nil || last.read[m.title] {
		text, err := m.perform(ctx, o)
		if err != nil {
			return nil, err
		}
		last = &benchmarkOutput{text, map[string]bool{}}
		b[key] = last
	}
	last.read[m.title] = true
	return m.read(last.text)
}

// perform runs the benchmark, which the peer agenthost has compiled, and returns its output.
func (m metric) perform(ctx context.Context, o *Options) (string, error) {
	binary, err := filepath.Abs(filepath.Join("peers", "agenthost", ".out", path.Base(m.pkg)+".test"))
	if err != nil {
		return "", err
	}
	var pattern []string
	for part := range strings.SplitSeq(cmp.Or(m.run, m.bench), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	command := append(pinned(o, m.free), binary, "-test.run=^$", "-test.bench="+strings.Join(pattern, "/"),
		fmt.Sprintf("-test.benchtime=%gs", o.Seconds), "-test.benchmem", "-test.timeout=10m")
	out, err := output(ctx, filepath.Join("..", filepath.FromSlash(m.pkg)), 11*time.Minute, command[0], command[1:]...)
	return string(out), err
}

// read finds the metric in the output of go test -bench.
func (m metric) read(out string) (*Measurement, error) {
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || strings.TrimSuffix(fields[0], cpuSuffix(fields[0])) != m.bench {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if fields[i+1] == m.unit {
				value, err := strconv.ParseFloat(fields[i], 64)
				return &Measurement{NS: value, Check: m.bench}, err
			}
		}
	}
	return nil, fmt.Errorf("%s %s: no %s in\n%s", m.pkg, m.bench, m.unit, out)
}

// cpuSuffix matches the number of processors after a benchmark's name, such as "-2".
func cpuSuffix(name string) string {
	at := strings.LastIndexByte(name, '-')
	if at < 0 {
		return ""
	}
	if _, err := strconv.Atoi(name[at+1:]); err != nil {
		return ""
	}
	return name[at:]
}
