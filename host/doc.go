// Package host runs an LLM agent: it calls a model, runs the tools that the model asks for, and calls the model again,
// until the model is done. What happens around that loop is middleware.
//
// [New] builds an [Agent] from a [Config]: it asks each [Middleware] for its [Hooks], checks that their fields, tools and
// jumps fit together, and compiles them into a program, a flat list of steps which [Agent.Graph] shows. [Agent.Run] walks
// through the program until it ends, and [Agent.Stream] tells of each [Event] on the way. An agent serves any number of
// runs at once; [Agent.Close] ends it.
//
// A run owns a [State]: its messages and the values of its fields. A hook or [Tool] sees the state as its step found it,
// in a [Runtime], and returns an [Update] of it; it never changes a state. The updates of one step are applied together,
// or, with an error, not at all.
//
// There are six hooks. Four are steps of their own: before_agent and after_agent run once in a run, before_model and
// after_model around each model call, and all after hooks in reverse order. They may jump elsewhere in the program. The
// other two wrap the model call and each tool call: the first middleware of the list is the outermost.
package host
