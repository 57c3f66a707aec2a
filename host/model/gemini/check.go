package gemini

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var _ model.Checker = (*Model)(nil)

// Check finds mistakes in the name, the address, the headers and the settings.
func (m *Model) Check() error {
	if err := m.checkName(); err != nil {
		return provider.Named(m.provider(), err)
	}
	if err := service.Check(m.options()); err != nil {
		return err
	}
	_, err := m.body(&model.Request{Tools: []abi.ToolSpec{{Name: "check"}}}) // without a tool, the setting "tools" is not looked at
	return provider.Named(m.provider(), err)
}

// checkName refuses names that would change the address of the request.
func (m *Model) checkName() error {
	if m.Name == "" || strings.Contains(m.Name, "..") || strings.ContainsAny(m.Name, "?&") {
		return refused("%q is not a valid name of a model; use a name such as %q", m.Name, "gemini-3-flash")
	}
	return nil
}
