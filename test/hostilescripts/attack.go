// Package hostilescripts holds the engines for scripts to one contract: whatever a script does harms only its own call. An attack ends in
// an error of the language or in an answer, and in a fault only where built-in functions take all the time or memory. The next
// call of the same plugin is as good as the first.
package hostilescripts

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// Attack is what a hook of a script does in place of its work, and how that ends: the parts of the error, in their order and separated by
// "…", or the answer. Empty is any error or answer. The constants are faults.
type Attack [2]string

// The faults that may end an attack.
const (
	Fuel     = "fault: fuel"
	Memory   = "fault: memory"
	Trap     = "fault: trap"     // its native calls nest too deeply
	Protocol = "fault: protocol" // it writes a document that the ABI does not have
)

// Breaks begins the name of an attack that breaks the language for its own instance. The calls after it may fail in the same
// instance, but not with [plugin.IsolateCall].
const Breaks = "breaks "

// The messages that a script must tell apart: it attacks, or it answers "fine".
const (
	attack = "attack"
	fine   = "fine"
)

// Run attacks a plugin with each code. Setup builds an agent with one script around the code, in which any other message than
// "attack" gets the answer "fine".
func Run(t *testing.T, attacks map[string]Attack, setup func(t *testing.T, code string, isolation plugin.Isolation) *host.Agent) {
	t.Helper()
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := setup(t, a[0], plugin.IsolatePool)
			a.perform(t, agent)
			for range 2 {
				result, err := greet(t, agent)
				if strings.HasPrefix(name, Breaks) {
					requireNoFault(t, err)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, fine, answer(t, result))
			}
			if !strings.HasPrefix(name, Breaks) {
				return
			}
			agent = setup(t, a[0], plugin.IsolateCall)
			for range 2 {
				a.perform(t, agent)
				result, err := greet(t, agent)
				require.NoError(t, err)
				require.Equal(t, fine, answer(t, result))
			}
		})
	}
}

// perform makes the attack, and checks how it ends.
func (a Attack) perform(t *testing.T, agent *host.Agent) {
	t.Helper()
	begun := time.Now()
	result, err := agent.Run(t.Context(), host.Input{Messages: Attacked()})
	require.Less(t, time.Since(begun), time.Minute)
	if kind, ok := strings.CutPrefix(a[1], "fault: "); ok {
		var fault *plugin.Error
		require.ErrorAs(t, err, &fault)
		require.Equal(t, kind, string(fault.Kind))
		return
	}
	requireNoFault(t, err)
	switch {
	case err != nil:
		rest := err.Error()
		for want := range strings.SplitSeq(a[1], "…") {
			_, after, found := strings.Cut(rest, want)
			require.True(t, found, "%q has no %q after the parts before it", err.Error(), want)
			rest = after
		}
	case result.Status != host.Interrupted && a[1] != "":
		require.Equal(t, a[1], answer(t, result))
	}
}

func greet(t *testing.T, agent *host.Agent) (*host.Result, error) {
	t.Helper()
	return agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
}

func answer(t *testing.T, result *host.Result) string {
	t.Helper()
	last, ok := result.Messages.Last()
	require.True(t, ok)
	return last.Content.Text()
}

func requireNoFault(t *testing.T, err error) {
	t.Helper()
	var fault *plugin.Error
	require.NotErrorAs(t, err, &fault)
}

// Attacked returns the messages of a run in which the script attacks.
func Attacked() []abi.Message { return []abi.Message{abi.Human(attack)} }
