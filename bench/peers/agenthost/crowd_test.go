package main

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// BenchmarkCrowd performs the runs of the suite crowd with three plugins, all at once, again and again. make profiles shows where its time goes.
func BenchmarkCrowd(b *testing.B) {
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	m := &slow{ended: map[string]time.Time{}}
	var executions atomic.Int64
	config, err := crowdConfig("plugins:crowd", m, engine, &executions)
	if err != nil {
		b.Fatal(err)
	}
	agent, err := host.New(config)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = agent.Close() }()
	n := 0
	for b.Loop() {
		if _, _, err := everyRun(agent, 0); err != nil {
			b.Fatal(err)
		}
		m.p99()
		n++
	}
	rounds := float64(n * runs * crowdRounds)
	if done := float64(executions.Load()); done != rounds {
		b.Fatalf("%g executions of the tool in %g rounds", done, rounds)
	}
	b.ReportMetric(rounds/b.Elapsed().Seconds(), "rounds/s")
}
