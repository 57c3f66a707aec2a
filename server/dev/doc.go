// Package dev is the door through which the studio works with `agenthost dev`: it tells the page what the last change of a file has done, shows what
// plugins got and returned in runs, calls a plugin again with an edited input, and keeps a run as a cassette.
//
// These paths exist only if the server has a [Config] for them, which `agenthost serve` never has. They run plugins with chosen inputs, and show what
// hooks get, so a request must come from this machine, from the server's own page or a program, and with the scope admin. A run is found only for
// its owner.
//
//	GET  /dev/state                          a stream of server-sent events: each has a [State], the first the present one
//	GET  /dev/runs/{run}/calls               the calls of plugins in a run
//	GET  /dev/runs/{run}/calls/{number}      one of them, with its input
//	POST /dev/runs/{run}/calls/{number}      call the plugin again, with an [Edit]
//	POST /dev/runs/{run}/recording           keep the calls of a run as a cassette
//	GET  /dev/cases/{plugin}/{case}          the call of a golden case
//	POST /dev/cases/{plugin}/{case}          call the plugin as in the case, with an [Edit]
//
// # Where to find what
//
//   - what is told of the loop, and who tells it: board.go
//   - what is told of calls, and who performs them: workshop.go
//   - who may do what, and the paths: handler.go; the runs of an agent that a run of the server has: hostruns.go
package dev
