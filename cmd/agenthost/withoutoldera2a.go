//go:build !a2a_older && !no_serve

package main

import "github.com/agenthost/agenthost/server/a2a"

// olderA2A serves version 0.3 of A2A, which links servers of gRPC: a build with the tag a2a_older has it.
var olderA2A a2a.Older
