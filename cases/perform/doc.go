// Package perform performs cases of whole agents: it builds the agent of a manifest in a copy of its directory, with scripts or a cassette
// in place of its models, plays the turns, and compares what comes of them.
//
//	report, err := perform.Case(ctx, c, perform.Options{})
//
// Threads and values are kept in memory. The agent's clock stands still, and its ids are the same in every run.
package perform
