// Package access has what stands between a server's listener and its handlers: checks of hosts and origins, limits of size, time, rate and
// number, request ids, the access log, and what happens when a handler panics.
//
// Most files have one [Wrapper]. They are meant to be chained in this order, the outermost first:
//
//	access.Chain(handler,
//		access.RequestIDs(), access.Log(logger), access.Recover(logger),
//		hosts, origins,
//		access.Bodies(4<<20, 30*time.Second), access.WriteDeadlines(time.Minute),
//		access.Authenticate(authenticator, isOpen, challenge), rates.Wrap, budget.Wrap)
//
// The log comes before what refuses, so that refused requests are in it. Hosts and origins come before authentication: what they refuse
// is an attack with a browser whatever credential it carries.
//
// # Memory
//
// Every table is bounded: [Rates] and [Logins] forget buckets that are full again, and let newcomers share one when there is no more room; [Slots] has an
// entry only while an owner uses one.
//
// # Where to find what
//
//   - which hosts and origins are allowed: hosts.go, origins.go
//   - size and time: bodies.go, deadlines.go, server.go for headers and idle connections, and inbound.go for WebSockets
//   - who: authenticate.go; how many wrong credentials: logins.go; how much of it: rates.go, slots.go
//   - what is written about it: requestid.go, log.go, entry.go; panics: recover.go
package access
