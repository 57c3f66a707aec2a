// Package engine performs the runs of a [runs.Store] in this process. Several processes can share one store: each claims runs, and takes
// over those of a process that has died.
//
// # How a run is performed
//
// A claimed run gets a context of its own, which ends when somebody cancels the run or its claim is lost. The agent takes the input once,
// so that another attempt goes on where the one before it was cut off. Events go to the store in batches, those of all runs together; the
// last ones go with the end of the run, in one change. Readers in this process get what happens within a step at once, see [runs.Live].
//
// # Where to find what
//
//   - the process that claims runs, renews claims and drains: engine.go, claims.go
//   - one run, from its claim to its end: attempt.go, outcome.go; what a process that died did not tell: catchup.go
//   - events on their way to the store: journal.go
//   - what every engine must do: package enginetest
package engine
