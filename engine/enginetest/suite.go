// Package enginetest holds engines to their contract: what becomes of the runs of a [runs.Store] that an engine performs, whatever happens to it.
//
//	func TestEngine(t *testing.T) {
//		enginetest.Run(t, enginetest.Options{Start: func(t *testing.T, c engine.Config) enginetest.Engine { … }})
//	}
//
// The contract: each run has an end, and an event of it. Runs of a thread are performed one after the other, in the order of their submission.
// A run whose process died goes on from its last checkpoint, and a tool that ended does not run again. A reader is told of each change once, see
// [runs.Event]. A run that is rolled back leaves nothing, and takes nothing else with it.
package enginetest

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/agenthost/agenthost/engine"
)

// Engine performs runs.
type Engine interface {
	// Close stops the engine: runs yield at their next saved step, or are cut off when ctx ends, and are given back. It may be called again.
	Close(ctx context.Context)
}

// Start starts an engine for a test. It is closed when the test ends.
type Start func(t *testing.T, c engine.Config) Engine

// Options say how to test an engine.
type Options struct {
	Start Start
	// Bubble says that all of the engine lives in the test's process, so that tests can use a bubble of package synctest.
	Bubble bool
}

// Run runs the suite.
func Run(t *testing.T, o Options) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, start Start){
		"a run is performed":                    aRunIsPerformed,
		"runs of a thread are in order":         runsOfAThreadAreInOrder,
		"a question is answered by another run": aQuestionIsAnsweredByAnotherRun,
		"a question outlives a failed answer":   aQuestionOutlivesAnAnswerThatFails,
		"a failure is noted":                    aFailureIsNoted,
		"a budget is kept by all processes":     aBudgetIsKeptByAllProcesses,
		"costs are noted":                       costsAreNoted,
		"cancel":                                cancel,
		"a run that takes too long":             aRunThatTakesTooLong,
		"another process takes over":            anotherProcessTakesOver,
		"a rollback before the begin":           aRollbackBeforeTheBeginTakesNothingElse,
		"a run of a broken thread fails":        aRunOfABrokenThreadFails,
		"a change is told with its checkpoint":  aChangeIsToldWithItsCheckpoint,
		"answers do not wait for the store":     answersDoNotWaitForTheStore,
		"a run ends while others are written":   aRunEndsWhileEventsOfAnotherAreWritten,
		"a run is given back after failures":    aRunIsGivenBackAfterFailures,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, o.Start)
		})
	}
	if !o.Bubble {
		return
	}
	for name, test := range map[string]func(t *testing.T, start Start){
		"a process that ends gives its runs back":          aProcessThatEndsGivesItsRunsBack,
		"a run waits for a thread that a dead process has": aRunWaitsForAThreadThatADeadProcessHolds,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, o.Start) })
		})
	}
}
