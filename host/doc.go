// Package host runs an LLM agent: it calls a model, runs the tools that the model asks for, and calls the model again until
// the model is done. Everything that happens around that loop is middleware.
//
// # Building an agent
//
// [New] builds an [Agent] from a [Config]. It asks each [Middleware] for its [Hooks], checks that their fields, tools and jumps
// fit together, and compiles them into a program: a flat list of steps, which [Agent.Program] shows. An agent serves any number
// of runs at once; [Agent.Close] ends it.
//
// # Running it
//
// [Agent.Run] walks through the program until it ends, and [Agent.Stream] yields an [Event] for everything that happens on
// the way. A run owns a [State]: its messages and the values of its fields. A hook or [Tool] reads the state through a
// [Runtime], as it was when the step began, and returns an [Update]; it never changes a state. The updates of one step are
// applied together; after an error, none of them is applied.
//
// # Hooks
//
// There are six hooks. Four are steps of their own: before_agent and after_agent run once in a run, before_model and
// after_model around each model call. The after hooks run in reverse order. All four may jump elsewhere in the program. The
// other two wrap the model call and each tool call; the first middleware of the list is the outermost.
//
// # Threads
//
// With a Config.Checkpointer, a run saves its thread. The thread then survives a crash, can wait for a person to answer, and
// can continue from any checkpoint. See [Input], [Agent.State], [Agent.UpdateState] and package checkpoint.
//
// # Examples
//
// The examples of this package show each feature in a few lines. The directories examples/embed, examples/approval and
// examples/research hold whole programs and agents.
//
// # Where to find what
//
// Each rule is decided in one file:
//
//   - which step follows, and whether the model runs again: transition.go; the order of the steps: program.go
//   - how updates of a step are applied to the state: statecommit.go; what a field is: field.go, fieldtable.go
//   - how wrap hooks enclose a call, what next does: wrapchain.go; the model call: modelstep.go; the tool call: toolcall.go
//   - which calls of a response run, in parallel or in order: toolstep.go, toolrunner.go, toolorder.go
//   - what a failed call does to the other calls: toolrunner.go; what is kept of their results, and when it is applied:
//     toolstep.go, batch.go
//   - limits of steps, model steps (max_loops), tool calls and tokens: budget.go, toolcallconfig.go; the time of a tool: tooltimeout.go
//   - interrupts, and which answer belongs to which interrupt: questions.go
//   - whether a tool call that a crash cut off runs again: cutoff.go; how its executions are numbered: journal.go,
//     execution.go
//   - what an input does to a thread: threadopen.go, runinput.go; when a thread is saved, and what is saved: thread.go,
//     threadsave.go
//   - names of middleware, such as NAME#2: build.go; what a middleware may ask of the agent: construct.go, capability.go
//   - formats of structured answers, how one is asked for and read: responder.go; whether the model is asked again for one:
//     transition.go (afterModel); an agent whose model can call nothing else: build.go
//   - calls that hooks make: nestedcall.go; the types of errors: event.go, errors.go
//   - leases of threads in SQL databases: internal/sqlstore, lease.go
package host
