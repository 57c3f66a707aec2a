package builtin

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/agenthost/agenthost/host/model"
)

// ContextSize is a size of a history: a number of messages or of tokens, or a fraction of the tokens that a model accepts.
type ContextSize struct {
	// Messages is a number of messages
	Messages *int `yaml:"messages" schema:"min=1"`
	// Tokens is a number of tokens
	Tokens *int `yaml:"tokens" schema:"min=1"`
	// Fraction is a share of the max_input_tokens of the model: above 0, at most 1
	Fraction *float64 `yaml:"fraction" schema:"min=0,max=1.0"`
}

// ContextTriggers is a list of sizes; one of them must be reached. In a manifest it is a mapping, which is one size, or a
// list. If a size has several keys, all of them must be reached:
//
//	trigger: [{tokens: 100000}, {tokens: 50000, messages: 200}]
type ContextTriggers []ContextSize

// UnmarshalYAML decodes a mapping or a list of mappings.
func (t *ContextTriggers) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form.(type) {
	case map[string]any:
		*t = make(ContextTriggers, 1)
		return decode(&(*t)[0])
	case []any:
		return decode((*[]ContextSize)(t))
	default:
		return errors.New("a trigger is a mapping such as {tokens: 100000}, or a list of them")
	}
}

// JSONSchema describes both forms.
func (ContextTriggers) JSONSchema() map[string]any {
	size := map[string]any{
		"type": "object", "additionalProperties": false, "minProperties": 1,
		"properties": map[string]any{
			"messages": map[string]any{"type": "integer", "minimum": 1, "description": "A number of messages"},
			"tokens":   map[string]any{"type": "integer", "minimum": 1, "description": "A number of tokens"},
			"fraction": map[string]any{
				"type": "number", "exclusiveMinimum": 0, "maximum": 1, "description": "A share of the model's context",
			},
		},
	}
	return map[string]any{"oneOf": []any{size, map[string]any{"type": "array", "items": size}}}
}

// check checks the numbers of a size under a key of the configuration.
func (s *ContextSize) check(key string) error {
	for _, n := range []*int{s.Messages, s.Tokens} {
		if n != nil && *n <= 0 {
			return fmt.Errorf("%s thresholds must be greater than 0, got %d.", key, *n) //nolint:revive,staticcheck // the text is LangChain's
		}
	}
	if f := s.Fraction; f != nil && !(*f > 0 && *f <= 1) {
		//nolint:revive,staticcheck // the text is LangChain's
		return fmt.Errorf("Fractional %s values must be between 0 and 1, got %s.", key, strconv.FormatFloat(*f, 'g', -1, 64))
	}
	return nil
}

// parts returns the number of keys of a size.
func (s *ContextSize) parts() int {
	n := 0
	for _, is := range []bool{s.Messages != nil, s.Tokens != nil, s.Fraction != nil} {
		if is {
			n++
		}
	}
	return n
}

// contextSize is a [ContextSize] for a model; 0 means not set.
type contextSize struct{ messages, tokens int }

// of returns a checked size for a model. If both tokens and a fraction are set, the larger number counts.
func (s *ContextSize) of(info *model.Info) (contextSize, error) {
	var size contextSize
	if s.Messages != nil {
		size.messages = *s.Messages
	}
	if s.Tokens != nil {
		size.tokens = *s.Tokens
	}
	if s.Fraction == nil {
		return size, nil
	}
	if info.MaxInputTokens <= 0 {
		//nolint:staticcheck // the text is LangChain's
		return size, fmt.Errorf("Model profile information is required to use fractional token limits, and is unavailable for the specified "+
			"model. Please use absolute token counts instead, or say in the profile of the model %q what its max_input_tokens are.", info.Name)
	}
	size.tokens = max(size.tokens, int(float64(info.MaxInputTokens)**s.Fraction), 1)
	return size, nil
}

// sizes checks triggers and returns them for a model.
func (t ContextTriggers) sizes(info *model.Info) ([]contextSize, error) {
	sizes := make([]contextSize, len(t))
	for i := range t {
		if t[i].parts() == 0 {
			return nil, errors.New("trigger clause must specify at least one of 'tokens', 'messages', 'fraction'")
		}
		if err := t[i].check("trigger"); err != nil {
			return nil, err
		}
		var err error
		if sizes[i], err = t[i].of(info); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}
