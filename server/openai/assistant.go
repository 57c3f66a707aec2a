package openai

import (
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/runs"
)

// applyAssistant fills in what the configuration and the context of an assistant say.
func applyAssistant(t *runs.Task, a *runs.Assistant, agent *runs.Agent) error {
	if len(a.Config) > 0 {
		var config struct {
			RecursionLimit int `json:"recursion_limit"`
			Configurable   struct {
				Model json.RawMessage `json:"model"`
			} `json:"configurable"`
		}
		if err := json.Unmarshal(a.Config, &config); err != nil {
			return fmt.Errorf("%w: the configuration of the assistant %s cannot be read: %w", runs.ErrInvalidTask, a.ID, err)
		}
		t.RecursionLimit = config.RecursionLimit
		// Without models to choose from, the key is the application's own.
		if chosen := config.Configurable.Model; given(chosen) && len(agent.Models) > 0 {
			if err := json.Unmarshal(chosen, &t.Model); err != nil {
				return fmt.Errorf("%w: the model of the assistant %s is not text", runs.ErrInvalidTask, a.ID)
			}
		}
	}
	if len(a.Context) == 0 {
		return nil
	}
	value, err := wire.FromJSON(a.Context, wire.Limits{})
	if err != nil {
		return fmt.Errorf("%w: the context of the assistant %s cannot be used: %w", runs.ErrInvalidTask, a.ID, err)
	}
	t.Context = value
	return nil
}
