// Command peer is agenthost in its own benchmarks: its loop, its checkpoints, a thousand runs, and a hook in each place where
// one can run.
package main

import (
	"os"

	"github.com/agenthost/agenthost/bench/peer"
)

func main() {
	if len(os.Args) > 1 && serve(os.Args[1]) {
		return
	}
	peer.Main(map[string]peer.Suite{
		"loop":       loop,
		"hooks":      hooks,
		"checkpoint": checkpoints,
		"crowd":      crowd,
		"together":   together,
	})
}
