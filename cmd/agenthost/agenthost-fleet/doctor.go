package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/engine/temporal"
)

func doctorCommand() *cobra.Command {
	s := &setup{}
	c := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Check what the server and its workers share, and say what to do about problems",
		Long: `Check the database that the server and its workers share, the connection to Temporal, its namespace, the
workers of the queue with their versions, the clocks, and the times in serve.yaml. 'agenthost doctor'
checks the manifests.

The exit code is 0 if no check failed, and 2 otherwise.`,
		Example: "  agenthost-fleet doctor -f agent.yaml --config serve.yaml",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return s.doctor(c) },
	}
	s.flags(c)
	return c
}

// report prints checks.
type report struct {
	out    io.Writer
	failed int
}

func (r *report) line(outcome, subject, found string) {
	fmt.Fprintf(r.out, "%-6s  %-10s  %s\n", outcome, subject, strings.ReplaceAll(found, "\n", " "))
}

func (r *report) okf(subject, format string, args ...any) {
	r.line("ok", subject, fmt.Sprintf(format, args...))
}

func (r *report) notef(subject, remedy, format string, args ...any) {
	r.line("note", subject, fmt.Sprintf(format, args...))
	fmt.Fprintf(r.out, "        → %s\n", remedy)
}

func (r *report) fail(subject string, err error, remedy string) {
	r.failed++
	r.line("failed", subject, err.Error())
	fmt.Fprintf(r.out, "        → %s\n", remedy)
}

func (s *setup) doctor(c *cobra.Command) error {
	if err := s.read(io.Discard); err != nil {
		return err
	}
	s.directed()
	r := &report{out: c.OutOrStdout()}
	s.times(r)
	version := s.database(c.Context(), r)
	s.temporal(c.Context(), r, version)
	if r.failed > 0 {
		return usageError{fmt.Errorf("doctor: checks failed: %d", r.failed)}
	}
	return nil
}

// times checks the times of serve.yaml.
func (s *setup) times(r *report) {
	if s.serve.Lease > 10*time.Second {
		r.notef("lease", "a lease of 3s lets another worker take over about 4s after one has died", "after a death, a run stands still for %s", s.serve.Lease)
		return
	}
	r.okf("lease", "another worker takes over %s after one has died; workers get %s to stop", s.serve.Lease, s.serve.Drain)
}

// database checks what the processes share, and its clock. It returns the version of the agents; "" if that is unknown.
func (s *setup) database(ctx context.Context, r *report) (version string) {
	var clock *storage.Clock
	err := s.withAgents(ctx, func(kept *storage.Storage, a *agents) (err error) {
		version = temporal.Version(a.byName)
		clock, err = kept.Clock(ctx)
		return err
	})
	if err != nil {
		r.fail("storage", err, "docs/fleet.md describes what the processes share")
		return version
	}
	r.okf("storage", "the database opens, and the agents have the version %s", version)
	if clock == nil {
		r.notef("storage", "storage: {postgres: …} in serve.yaml names a database for several machines", "only processes on this machine can use the database")
		return version
	}
	if found, remedy := clock.Check(s.serve.Lease); found != "" {
		r.notef("clock", remedy, "%s", found)
	} else {
		r.okf("clock", "PostgreSQL answers in %s, and its clock agrees with this machine's", clock.RoundTrip.Round(time.Microsecond))
	}
	return version
}

// temporal checks the server, its namespace, the queue and the clocks.
func (s *setup) temporal(ctx context.Context, r *report, version string) {
	config, err := s.connect(ctx)
	if err != nil {
		r.fail("temporal", err, "check address, tls and the API key under engine.temporal in serve.yaml, and that the server runs")
		return
	}
	defer config.Client.Close()
	service := config.Client.WorkflowService()
	info, err := service.GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		r.fail("temporal", err, "check that this is a server of Temporal, and that you may use it")
		return
	}
	r.okf("temporal", "%s answers, with version %s", s.serve.Engine.Temporal.Address, info.GetServerVersion())
	found, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: config.Namespace})
	if err != nil {
		r.fail("namespace", err, "create it: temporal operator namespace create --namespace "+config.Namespace)
		return
	}
	r.okf("namespace", "%s keeps the histories of workflows that have ended for %s", config.Namespace,
		found.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	s.queue(ctx, r, config, version)
}

// queue checks who works.
func (s *setup) queue(ctx context.Context, r *report, config temporal.Config, version string) {
	found, err := config.Client.DescribeTaskQueue(ctx, config.Queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		r.fail("queue", err, "check that the credentials may describe task queues")
		return
	}
	if len(found.GetPollers()) == 0 {
		r.notef("queue", "start one: agenthost-fleet worker", "no worker waits at %s, so runs wait too", config.Queue)
	} else {
		r.okf("queue", "workers at %s: %d", config.Queue, len(found.GetPollers()))
		newest := found.GetPollers()[0].GetLastAccessTime().AsTime()
		for _, p := range found.GetPollers() {
			if at := p.GetLastAccessTime().AsTime(); at.After(newest) {
				newest = at
			}
		}
		if ahead := time.Until(newest); ahead > s.serve.Lease {
			r.notef("clock", "synchronise the clocks of the machines, such as with chrony",
				"Temporal's clock is %s ahead of this machine's", ahead.Round(time.Millisecond))
		} else {
			r.okf("clock", "the clock of this machine is not behind Temporal's")
		}
	}
	if !config.Pinned || version == "" {
		return
	}
	current, err := temporal.Current(ctx, config)
	switch {
	case err != nil:
		r.fail("version", err, "Worker Versioning needs Temporal 1.28 or later; versioning: none does without")
	case current == version:
		r.okf("version", "new threads begin on the agents of these manifests")
	case current == "":
		r.notef("version", "the first worker that starts promotes its own", "no version is promoted yet")
	default:
		r.notef("version", "agenthost-fleet promote, when its workers run", "new threads begin on the version %s, and not on that of these manifests", current)
	}
}
