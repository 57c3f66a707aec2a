// Package door has what all doors of a server share. A door translates between the protocol of its clients and package runs: it has routes
// ([Route]), which answer calls ([Call]), some of them with streams ([Door.Stream]), most of which follow a run ([Door.Follow]).
//
// # Where to find what
//
//   - the door: door.go; its routes and their descriptions: route.go, api.go
//   - one request: call.go; what its errors mean: failure.go; ids of clients: id.go
//   - streams: stream.go, follow.go; what clients may not see: hidden.go
package door
