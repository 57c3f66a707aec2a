package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const peakMemory = "peak_bytes"

func startSuite() *Suite {
	agenthost := func(label, manifest string) Row {
		return Row{Label: label, Peer: "agenthost", Args: []string{".out/agenthost", "run", "--quiet", "-f", "start/" + manifest, "hi"}}
	}
	return &Suite{
		Name: "start", Title: "from the start of a process to its first request to the model, and memory until then", Unit: "start",
		Cases: []Case{{"start", "to the first request"}},
		Extra: []Extra{{peakMemory, "most memory", size}},
		Rows: []Row{
			agenthost("agenthost, 3 plugins (redact, guard, loopguard: TinyGo, Rust, Rust)", "three.yaml"),
			agenthost("agenthost, 3 plugins of TinyGo (redact, cache, bench)", "tinygo.yaml"),
			agenthost("agenthost, 3 plugins of standard Go (redact, cache, bench)", "go.yaml"),
			agenthost("agenthost, a plugin in TypeScript", "typescript.yaml"),
			agenthost("agenthost, a plugin in Python", "python.yaml"),
			agenthost("agenthost without plugins", "none.yaml"),
			{Label: "agenthost, embedded, without plugins", Peer: "agenthost", Args: []string{".out/start"}},
			{Label: "Eino", Peer: "eino", Args: []string{".out/start"}},
			{Label: "adk-go", Peer: "adk", Args: []string{".out/start"}},
			{Label: "LangChain Python", Peer: "langchain-python", Args: []string{".venv/bin/python", "start.py"}},
			{Label: "LangChain JS", Peer: "langchain-js", Args: []string{"node", "start.mjs"}},
		},
		Measure: measureStart,
	}
}

// measureStart repeatedly starts the row's program, for the length of a measurement, and answers its request.
func measureStart(ctx context.Context, o *Options, row Row, _ Case) (*Measurement, error) {
	if _, err := startOnce(ctx, o, row); err != nil { // fills the caches
		return nil, err
	}
	var ns, peak Sample
	for begun := time.Now(); len(ns) == 0 || time.Since(begun).Seconds() < o.Seconds; {
		m, err := startOnce(ctx, o, row)
		if err != nil {
			return nil, err
		}
		ns, peak = append(ns, m.NS), append(peak, m.Extra[peakMemory])
	}
	return &Measurement{NS: ns.median(), Check: "hello", Extra: map[string]float64{peakMemory: peak.median()}}, nil
}

// arrival holds the observations at the arrival of the request.
type arrival struct {
	at   time.Time
	said string
}

func startOnce(ctx context.Context, o *Options, row Row) (*Measurement, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	arrivals, peaks := make(chan arrival, 1), make(chan float64, 1)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		body, _ := io.ReadAll(r.Body)
		select {
		case arrivals <- arrival{at, string(body)}:
		default:
		}
		select {
		case peak := <-peaks: // the process waits, so that its memory can be read
			peaks <- peak
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`)
	}))
	defer model.Close()
	argv := append(pinned(o, false), row.Args...)
	var out, said bytes.Buffer
	process := exec.CommandContext(ctx, argv[0], argv[1:]...)
	process.Dir, process.Stdout, process.Stderr = filepath.Join("peers", row.Peer), &out, &said
	process.Env = append(os.Environ(), "MODEL_URL="+model.URL)
	begun := time.Now()
	if err := process.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case first := <-arrivals:
		peak, err := peakOf(process.Process.Pid)
		peaks <- peak
		if err := errors.Join(err, <-ended); err != nil {
			return nil, fmt.Errorf("%w: %s", err, said.String())
		}
		if !strings.Contains(first.said, `"hi"`) || strings.TrimSpace(out.String()) != "hello" {
			return nil, fmt.Errorf("it asked %s and said %q", first.said, out.String())
		}
		return &Measurement{NS: float64(first.at.Sub(begun).Nanoseconds()), Extra: map[string]float64{peakMemory: peak}}, nil
	case err := <-ended:
		return nil, fmt.Errorf("it ended without a request: %w: %s", err, said.String())
	}
}

// peakOf returns the peak memory of a process in bytes.
func peakOf(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseFloat(kilobytes, 64)
	return n * 1024, err
}
