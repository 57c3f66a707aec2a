package openai

import (
	"fmt"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.Checker = (*Model)(nil)

// Check finds mistakes in the address, the headers and the settings.
func (m *Model) Check() error {
	if err := m.checkAPI(); err != nil {
		return err
	}
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
	if m.UsePreviousResponseID && body["store"] == false {
		return m.refused(&model.SettingError{
			Setting: "store", Problem: "must not be false with use_previous_response_id, because OpenAI then keeps no answer to go on with; " +
				"remove one of the two",
		})
	}
	tools, err := m.addProviderTools(nil, nil)
	if err != nil {
		return err
	}
	return m.addTools(body, tools, nil)
}

// checkAPI refuses an unknown API, and what the API does not have.
func (m *Model) checkAPI() error {
	switch {
	case m.API != "" && m.API != ChatCompletions && m.API != Responses:
		return m.refused(fmt.Errorf("the API %q does not exist; use %q or %q", m.API, ChatCompletions, Responses))
	case m.UsePreviousResponseID && m.API != Responses:
		return m.refused(&model.SettingError{Setting: "use_previous_response_id", Problem: "needs api: responses"})
	case m.Background && m.API != Responses:
		return m.refused(&model.SettingError{Setting: "background", Problem: "needs api: responses"})
	default:
		return nil
	}
}
