package reference_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/test/reference"
)

// TestRandomAgents performs random agents with random runs, and checks the invariants of each run. If probes run as
// plugins, their runs must equal those of native probes, event by event. The flag -rapid.checks sets the number of
// agents.
func TestRandomAgents(t *testing.T) {
	t.Parallel()
	flavors, err := allFlavors()
	require.NoError(t, err)
	for _, flavor := range flavors {
		t.Run(flavor.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				a := drawAgent(t)
				runs, native := a.perform(flavors[0])
				if flavor.Name != flavors[0].Name {
					a.compare(flavor, runs, native)
				}
			})
		})
	}
}

// perform draws and performs runs, and checks each.
func (a *randomAgent) perform(flavor reference.Flavor) (runs []*reference.RunSpec, outcomes []*reference.Outcome) {
	subject := a.build(flavor)
	defer a.close(subject)
	th := newThread()
	var last *reference.Outcome
	for range a.number("runs", 1, 5) {
		run := a.drawRun(last)
		last = subject.Perform(a.t.Context(), run)
		runs, outcomes = append(runs, run), append(outcomes, last)
		th.run(run, last, a.patches)
		if len(th.problems) > 0 {
			a.t.Fatalf("run %d: %s\n%s\nlimits %+v\nruns %s\noutcome %s", len(runs), strings.Join(th.problems, "\n"), a.text, a.limits,
				jsonOf(runs), jsonOf(last.Document()))
		}
	}
	return runs, outcomes
}

// compare performs the runs in another flavor. Their outcomes and events must equal those of the first flavor.
func (a *randomAgent) compare(flavor reference.Flavor, runs []*reference.RunSpec, want []*reference.Outcome) {
	subject := a.build(flavor)
	defer a.close(subject)
	for i, run := range runs {
		got := subject.Perform(a.t.Context(), run)
		if f := want[i].Failure; f != nil && f.Kind == "undeclared_jump" { // a fault of a plugin, in the words of its loader
			if got.Failure == nil || got.Failure.Kind != f.Kind {
				a.t.Fatalf("run %d: an undeclared jump natively, in %s %+v\n%s", i+1, flavor.Name, got.Failure, a.text)
			}
			return
		}
		wanted, found := eventsOf(want[i]), eventsOf(got)
		for n := range max(len(wanted), len(found)) {
			if n >= len(wanted) || n >= len(found) || wanted[n] != found[n] {
				a.t.Fatalf("run %d, event %d:\nnative %s\n%s %s\n%s", i+1, n, at(wanted, n), flavor.Name, at(found, n), a.text)
			}
		}
		if wanted, found := jsonOf(want[i].Document()), jsonOf(got.Document()); wanted != found {
			a.t.Fatalf("run %d:\nnative %s\n%s %s\n%s", i+1, wanted, flavor.Name, found, a.text)
		}
	}
}

func (a *randomAgent) build(flavor reference.Flavor) *reference.Subject {
	subject, err := a.vector.Build(flavor, a.adjust)
	if err != nil {
		a.t.Fatalf("%v\n%s", err, a.text)
	}
	return subject
}

func (a *randomAgent) close(subject *reference.Subject) {
	if err := subject.Close(); err != nil {
		a.t.Fatal(err)
	}
}

// eventsOf shows events without the parts that differ between runs.
func eventsOf(out *reference.Outcome) []string {
	lines := make([]string, len(out.Events))
	for i, e := range out.Events {
		e.Time, e.Duration, e.Fuel, e.Memory, e.HostCalls, e.Digest, e.Instance = time.Time{}, 0, 0, 0, 0, "", 0
		lines[i] = jsonOf(e)
	}
	return lines
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "ends"
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
