package manifest

import (
	"slices"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// cutOffEntry is what happens to answers of a model that are cut off.
type cutOffEntry struct {
	// what happens to an answer that reached the limit of output tokens. warn (the default): it is used, and a warning says so.
	// fail: the call fails. continue: the model is asked to go on
	OnCutOff string `yaml:"on_cut_off" strict:"enum=warn|fail|continue"`
	// how often the model is asked to go on with one answer, with on_cut_off: continue; default 3
	MaxContinuations int `yaml:"max_continuations" strict:"min=1,max=100"`
}

// decode decodes one of the keys.
func (e *cutOffEntry) decode(key string, value strictyaml.Node) error {
	if key == "max_continuations" {
		if err := value.Decode(&e.MaxContinuations); err != nil {
			return err
		}
		if e.MaxContinuations < 1 || e.MaxContinuations > maxContinuations {
			return value.Errorf("max_continuations must be from 1 to %d", maxContinuations)
		}
		return nil
	}
	if err := value.Decode(&e.OnCutOff); err != nil {
		return err
	}
	choices := []string{string(model.CutOffWarn), string(model.CutOffFail), string(model.CutOffContinue)}
	if !slices.Contains(choices, e.OnCutOff) {
		return value.Unknown("on_cut_off", choices)
	}
	return nil
}

// maxContinuations is the most that max_continuations may be.
const maxContinuations = 100

// wrap returns a model with this choice.
func (e *cutOffEntry) wrap(m model.Model) model.Model {
	if on := model.OnCutOff(e.OnCutOff); on == model.CutOffFail || on == model.CutOffContinue {
		return &model.CutOffModel{Model: m, On: on, Continuations: e.MaxContinuations}
	}
	return m
}
