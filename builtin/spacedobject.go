package builtin

import (
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// spacedObject returns a JSON object with its keys in this order, and with the spaces of the reference.
func spacedObject(pairs []wire.Pair) string {
	shown := make([]string, len(pairs))
	for i, p := range pairs {
		shown[i] = wire.String(p.Key).JSON() + ": " + p.Value.JSON()
	}
	return "{" + strings.Join(shown, ", ") + "}"
}
