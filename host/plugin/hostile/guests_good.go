package hostile

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// Good returns a well-behaved plugin that adds 1 to the field mark before each model call.
func Good() []byte {
	m := hooked(abi.BeforeModel, abi.FieldSpec{Name: "mark", Lifetime: "run", Reducer: "add"})
	return m.On("before_model", m.Say(mapOf(map[string]any{"state": map[string]any{"mark": 1}}))).Bytes()
}

// Greedy returns a plugin that takes all the memory that it can get before each model call, and traps if that is less
// than 4 MiB.
func Greedy() []byte {
	return attack(turns(200, 1, i32(1), grow, drop), guestkit.Size, i32(64), code{0x49}, when(trap))
}
