//go:build a2a_older && !no_serve

package main

import "github.com/agenthost/agenthost/server/a2a/older"

// olderA2A serves version 0.3 of A2A.
var olderA2A = older.New()
