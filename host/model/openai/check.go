package openai

import (
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.Checker = (*Model)(nil)

// Check finds mistakes in the address, the headers and the settings.
func (m *Model) Check() error {
	if err := m.preset().service().Check(m.options()); err != nil {
		return err
	}
	reserved := chatReserved
	if m.API == Responses {
		reserved = responsesReserved
	}
	body, err := provider.Settings(m.provider(), m.Settings, nil, reserved...)
	if err != nil {
		return err
	}
	return m.addTools(body, nil, nil)
}
