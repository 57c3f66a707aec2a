package anthropic

import (
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.Checker = (*Model)(nil)

// Check finds mistakes in the address, the headers and the settings.
func (m *Model) Check() error {
	if err := service.Check(m.options()); err != nil {
		return err
	}
	_, err := m.body(&model.Request{}, false)
	return provider.Named(m.provider(), err)
}
