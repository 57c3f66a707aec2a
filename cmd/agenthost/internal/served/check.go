// Package served has the agents of a server, for the commands that serve them or perform their runs.
package served

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
)

// Nameless is the error of a manifest whose agent cannot be served.
func Nameless(path string) error {
	return fmt.Errorf("%s: the agent has no name; clients ask for it by its name, so add name", path)
}

// CheckPrices returns an error if the price of a model is missing.
func CheckPrices(config *host.Config) error {
	if err := config.Prices.Check(config.Model.Info()); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(config.Models)) {
		if err := config.Prices.Check(config.Models[name].Info()); err != nil {
			return err
		}
	}
	return nil
}
