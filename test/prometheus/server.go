// Package prometheus starts a Prometheus for tests, and reads the queries of a dashboard that it is asked.
package prometheus

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Server is a Prometheus that scrapes one target five times a second.
type Server struct {
	URL string

	t testing.TB
}

// Series is one time series of an answer, with its value at the moment.
type Series struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"` // a time in seconds, and the value as text
}

// Start starts Prometheus and lets it scrape the host and port of target. The test is skipped if Prometheus is not installed.
func Start(t testing.TB, target string) *Server {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("Prometheus is not installed: it is Debian's package prometheus")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, []byte("scrape_configs: [{job_name: agenthost, scrape_interval: 200ms, scrape_timeout: 200ms, "+
		"static_configs: [{targets: [\""+target+"\"]}]}]\n"), 0o600))
	command := exec.CommandContext(t.Context(), program, "--config.file="+config, //nolint:gosec // the program that PATH has
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return &Server{"http://" + address, t}
}

// Query evaluates a query now. The error is that of Prometheus, or says that it does not answer yet.
func (s *Server) Query(query string) ([]Series, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+"/api/v1/query?query="+url.QueryEscape(query), http.NoBody)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Result []Series `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if answer.Status != "success" {
		return nil, &QueryError{query, answer.Error}
	}
	return answer.Data.Result, nil
}

// QueryError is a query that Prometheus refuses.
type QueryError struct{ Query, Reason string }

func (e *QueryError) Error() string { return "query " + e.Query + ": " + e.Reason }

// Queries returns the queries of a Grafana dashboard by the titles of its panels, for an interval of a minute.
func Queries(t testing.TB, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	queries := map[string][]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries[panel.Title] = append(queries[panel.Title], strings.ReplaceAll(target.Expr, "$__rate_interval", "1m"))
		}
	}
	require.NotEmpty(t, queries)
	return queries
}
