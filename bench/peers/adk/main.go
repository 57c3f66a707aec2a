// The command peer measures Google's Agent Development Kit for Go.
package main

import "github.com/agenthost/agenthost/bench/peer"

func main() {
	peer.Main(map[string]peer.Suite{"loop": loop})
}
