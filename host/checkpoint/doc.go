// Package checkpoint defines how threads are stored: what an agent saves of a run, so that a later run can continue where it
// stopped, and the interface that stores implement.
//
// A thread is a tree of checkpoints. Each checkpoint records how far a run has come and what changed since its parent, so the
// amount that a step writes does not grow with the history. The contents of a thread at a checkpoint are rebuilt from the
// checkpoints that lead to it. A run adds checkpoints after the newest one, or after an older one; the thread then continues
// from there, and the checkpoints that once followed remain readable.
//
// # Where to find what
//
//   - what a step saves: checkpoint.go, record.go; how it is encoded, and which versions can be read: document.go
//   - how the contents of a thread are rebuilt from its records: fold.go; what a damaged record still tells: readable.go
//   - all states of a thread at once: past.go
//   - what a store must do: store.go here, and package checkpointtest; the names that a thread may have: name.go
//   - finding threads by their state: find.go; reading all pages: all.go
//   - stores in databases: package host/internal/sqlstore, with leases in lease.go and forks in fork.go; in memory: package
//     memory
package checkpoint
