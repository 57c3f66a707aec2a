// Package live shows what a server does at the moment, from two readings of its metrics.
package live

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Reading is the metrics of a server at a time.
type Reading struct {
	at       time.Time
	families map[string]*dto.MetricFamily
}

// Read reads the metrics in the format of Prometheus.
func Read(r io.Reader, at time.Time) (*Reading, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("these are not metrics: %w", err)
	}
	if families["agenthost_runs_active"] == nil && families["target_info"] == nil {
		return nil, errors.New("these are not metrics of agenthost; name the address in metrics.listen of serve.yaml")
	}
	return &Reading{at, families}, nil
}

// Sample is what happened between two readings.
type Sample struct {
	Seconds      float64 `json:"seconds"`
	Active       float64 `json:"active"` // runs
	Ended        float64 `json:"ended"`  // runs; and so are the others, within the time
	Failed       float64 `json:"failed"`
	Models       float64 `json:"models"` // calls
	Tools        float64 `json:"tools"`  // calls
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	Hooks        []Hook  `json:"hooks"` // those that took the most time first
}

// Hook is what calls of a hook took.
type Hook struct {
	Middleware string  `json:"middleware"`
	Hook       string  `json:"hook"`
	Calls      float64 `json:"calls"`
	Seconds    float64 `json:"seconds"`
	Fuel       float64 `json:"fuel"`
	Faults     float64 `json:"faults"`
}

// Since returns what happened since an earlier reading. Counts of a server that has started anew begin at 0.
func (r *Reading) Since(before *Reading) *Sample {
	s := &Sample{Seconds: r.at.Sub(before.at).Seconds()}
	s.Active = sum(r.families["agenthost_runs_active"], nil, value)
	grown := func(name string, labels map[string]string, of func(*dto.Metric) float64) float64 {
		now, then := sum(r.families[name], labels, of), sum(before.families[name], labels, of)
		if now < then {
			return now
		}
		return now - then
	}
	s.Ended = grown("agenthost_runs_total", nil, value)
	s.Failed = grown("agenthost_runs_total", map[string]string{"agenthost_run_status": "failed"}, value)
	s.Models = grown("gen_ai_client_operation_duration_seconds", nil, count)
	s.Tools = grown("gen_ai_execute_tool_duration_seconds", nil, count)
	s.InputTokens = grown("gen_ai_client_token_usage", map[string]string{"gen_ai_token_type": "input"}, total)
	s.OutputTokens = grown("gen_ai_client_token_usage", map[string]string{"gen_ai_token_type": "output"}, total)
	hooks := map[[2]string]bool{}
	for _, m := range r.families["agenthost_hook_duration_seconds"].GetMetric() {
		hooks[[2]string{label(m, "agenthost_middleware"), label(m, "agenthost_hook")}] = true
	}
	for key := range maps.Keys(hooks) {
		labels := map[string]string{"agenthost_middleware": key[0], "agenthost_hook": key[1]}
		h := Hook{
			Middleware: key[0], Hook: key[1], Calls: grown("agenthost_hook_duration_seconds", labels, count),
			Seconds: grown("agenthost_hook_duration_seconds", labels, total), Fuel: grown("agenthost_wasm_fuel", labels, total),
			Faults: grown("agenthost_wasm_faults_total", labels, value),
		}
		s.Hooks = append(s.Hooks, h)
	}
	slices.SortFunc(s.Hooks, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Middleware, b.Middleware), cmp.Compare(a.Hook, b.Hook))
	})
	return s
}

func value(m *dto.Metric) float64 { return m.GetGauge().GetValue() + m.GetCounter().GetValue() }

func count(m *dto.Metric) float64 { return float64(m.GetHistogram().GetSampleCount()) }

func total(m *dto.Metric) float64 { return m.GetHistogram().GetSampleSum() }

func sum(family *dto.MetricFamily, labels map[string]string, of func(*dto.Metric) float64) (out float64) {
	for _, m := range family.GetMetric() {
		fits := true
		for name, want := range labels {
			fits = fits && label(m, name) == want
		}
		if fits {
			out += of(m)
		}
	}
	return out
}

func label(m *dto.Metric, name string) string {
	for _, pair := range m.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}
