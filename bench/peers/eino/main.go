// The command peer measures Eino.
package main

import "github.com/agenthost/agenthost/bench/peer"

func main() {
	peer.Main(map[string]peer.Suite{"loop": loop})
}
