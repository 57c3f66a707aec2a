package provider

import (
	"errors"

	"github.com/agenthost/agenthost/host/model"
)

// Refused returns the error for a response in which the provider refuses to answer; why is the provider's own text.
func Refused(name, why string) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorContentFilter, Err: errors.New("the model refuses to answer: " + short(why))}
}
