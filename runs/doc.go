// Package runs defines what a server of agents keeps: runs that wait in a queue, whose events can be read again and from anywhere,
// threads that can be searched, assistants with versions, and schedules. It has the contract of their stores, stores in memory, SQLite
// and PostgreSQL, and the suite that stores are held to; and the [Service] between the doors of a server and the agents.
//
// What an agent remembers stays in its threads, see [github.com/agenthost/agenthost/host/checkpoint]. A [Store] keeps what surrounds
// them. Several processes can share one store: any of them can perform a run, and all of them can read its events.
//
// # Owners
//
// Every row has an owner, and a store has no query without one: what belongs to somebody else does not exist. The owner "" is
// everybody where the server knows no users.
//
// # Where to find what
//
//   - what the service keeps: thread.go, run.go, event.go, assistant.go, schedule.go, metadata.go, document.go
//   - what a store must do: store.go for the doors of the server, queue.go for who performs runs; package runstest holds every
//     store to it
//   - what every store keeps and answers: check.go, page.go; in which form it gives rows back: copy.go
//   - what a run is to do, and in which thread of the agent: task.go, threadname.go; package engine performs runs
//   - the service: service.go, ownassistants.go for assistants that stand for agents, submission.go for what a run may ask for, threads.go and
//     state.go for what concerns the checkpoints of threads, upkeep.go for schedules and expiry; agents: agent.go
//   - following runs from anywhere: reader.go, follow.go; the events that the store does not have yet: live.go
//   - stores: packages memory, sqlite and postgres
//   - errors: errors.go
package runs
