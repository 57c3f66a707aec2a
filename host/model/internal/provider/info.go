package provider

import "github.com/agenthost/agenthost/host/model"

// Info describes a model by its profile or, if that is nil, by agenthost's own table.
func Info(name, of string, profile *model.Info) model.Info {
	if profile == nil {
		return model.Lookup(name, of)
	}
	out := *profile
	out.Name, out.Provider = of, name
	return out
}
