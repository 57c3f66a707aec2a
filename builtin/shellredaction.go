package builtin

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/builtin/internal/pii"
)

// RedactionRule says which data in the output of a command must not reach the model, and what replaces it.
type RedactionRule struct {
	// PIIType is the type of the values: email, credit_card, ip, mac_address or url, or any name if there is a detector.
	// Required.
	PIIType string `yaml:"pii_type"`
	// Strategy is what happens to a value: "redact" (or ""), "mask", "hash", or "block", which withholds the whole output.
	Strategy string `yaml:"strategy" schema:"default=redact,enum=redact|mask|hash|block"`
	// Detector is a regular expression (RE2) that finds the values. "": the detector of the type.
	Detector string `yaml:"detector"`
}

// redaction are rules in the order in which they are applied.
type redaction []*pii.Rule

func newRedaction(given []RedactionRule) (redaction, error) {
	var rules redaction
	for i, r := range given {
		rule, err := pii.New(r.PIIType, pii.Strategy(r.Strategy), r.Detector)
		if err != nil {
			return nil, fmt.Errorf("redaction_rules[%d]: %w", i, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// apply returns the text after all rules, and the number of matches of each type. Blocked is the type that blocks the whole
// text; "" if none does.
func (r redaction) apply(text string) (redacted string, counts map[string]int, blocked string) {
	counts = map[string]int{}
	for _, rule := range r {
		after, matches, err := rule.Apply(text)
		for _, m := range matches {
			counts[m.Kind]++
		}
		if err != nil {
			if found, ok := errors.AsType[*pii.BlockedError](err); ok {
				return "", counts, found.Kind
			}
			return "", counts, rule.Kind()
		}
		text = after
	}
	return text, counts, ""
}
