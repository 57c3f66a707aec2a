package manifest

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// addAddresses adds the addresses of models without a base_url after the other keys of each: those from an environment variable and, with
// defaults, the providers' own.
func (m *Manifest) addAddresses(l *listing, defaults bool) error {
	if err := m.addAddress(l, "model", &m.Model, defaults); err != nil {
		return err
	}
	for i := range m.Models {
		if err := m.addAddress(l, "models."+m.Models[i].Key, &m.Models[i].Value, defaults); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) addAddress(l *listing, path string, entry *modelEntry, defaults bool) error {
	if entry.provided == nil || entry.provided.baseURL != "" {
		return nil
	}
	built, err := entry.build(m)
	if err != nil {
		return err
	}
	accountant, ok := model.As[model.Accountant](built)
	if !ok {
		return nil
	}
	account, err := accountant.Account()
	if err != nil {
		return nil //nolint:nilerr // the commands that use the model report it
	}
	origin := OriginDefault
	switch {
	case account.BaseURL == "":
		return nil
	case account.BaseURLInFile:
		origin = account.BaseURLVariable + " in env_file"
	case account.BaseURLVariable != "":
		origin = account.BaseURLVariable + " in the environment"
	case !defaults:
		return nil
	}
	at := len(l.values)
	for i, value := range l.values {
		if value.Key == path || strings.HasPrefix(value.Key, path+".") {
			at = i + 1
		}
	}
	l.values = slices.Insert(l.values, at, Value{path + ".base_url", account.BaseURL, origin})
	return nil
}
