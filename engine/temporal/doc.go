// Package temporal performs the runs of a [runs.Store] on workers that Temporal directs. It is a Go module of its own, so that nobody else links
// Temporal's SDK.
//
// # How it works
//
// All that an agent remembers, and all that is left to do, stays in the stores of threads and runs. Temporal finds a worker, waits, and starts
// again what was cut off. A thread with something to do has a workflow, and never two. It has one activity after the other, and each performs
// the run of the thread that comes first, from where it stands to its end, or until its worker drains. When nothing is left, the workflow ends; while
// the thread waits for people, it stays open. No message, model or plugin is in a workflow, and its payloads are ids, so a new version of an
// agent cannot break the history of an old workflow.
//
// The [Dispatcher] tells Temporal of threads with something to do. It runs with the server of the agents. It also looks into the store, so a
// run is performed even if the process died that should have told Temporal of it.
//
// The leases in the stores decide who may write, and not the heartbeats of Temporal. A run goes on while its worker cannot reach Temporal, and ends there
// if it is cancelled or its lease is lost. A worker that cannot renew its claims stops its heartbeats, so that another one takes over.
//
// # Where to find what
//
//   - the workflow of a thread: workflow.go, payload.go; its search attributes: attributes.go
//   - a worker: worker.go; what it does for a workflow: activity.go; the version that workflows are pinned to: version.go, upgrade.go
//   - who tells Temporal that there is something to do: dispatcher.go, store.go
//   - an agent as a step of another workflow: agent.go, answer.go
//   - a connection, with certificates or an API key: dial.go
package temporal
