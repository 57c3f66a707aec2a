package host_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// turnModel says what its script has for the number of AI messages in the history.
type turnModel struct{ script []scripted.Turn }

func (*turnModel) Info() model.Info { return model.Info{Name: "turns"} }

func (m *turnModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	said := 0
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleAI {
			said++
		}
	}
	if said >= len(m.script) {
		return nil, fmt.Errorf("turn %d of %d", said, len(m.script))
	}
	return scripted.NewTurns(m.script[said]).Generate(ctx, req)
}
