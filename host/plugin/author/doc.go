// Package author has the tools that authors of plugins need and a running agent does not:
//
//   - [Inspect] examines a module without trusting it;
//   - [Check] loads a plugin and calls each of its hooks once;
//   - [Bench] measures what each hook costs;
//   - [Replay] repeats recorded calls.
//
// The commands agenthost plugin inspect, check, bench and replay print what these tools return.
package author
