package provider

import (
	"errors"

	"github.com/agenthost/agenthost/host/model"
)

// Refused is the error of a response in which the provider refuses to answer; why is in its words.
func Refused(name, why string) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorContentFilter, Err: errors.New("it refuses to answer: " + short(why))}
}
