package main

import (
	"github.com/agenthost/agenthost/plugins/redact/scan"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

//go:generate go run github.com/agenthost/agenthost/sdk/go/gen

// config is the configuration of the plugin.
//
//agenthost:document
type config struct {
	// What replaces a find; block fails the run instead
	Strategy string `default:"redact" enum:"redact,mask,hash,block"`
	// The kinds of data to look for
	Types []string `default:"email,credit_card,ip,api_key,private_key" enum:"email,credit_card,ip,api_key,private_key" minItems:"1"`
	// Whether to look at the user's messages
	ApplyToInput bool `default:"true"`
	// Whether to look at the results of tools
	ApplyToToolResults bool `default:"true"`
}

// scanner returns the scanner and the strategy that the configuration asks for. The host has checked the names against
// the schema, but the plugin does not rely on that.
func (c *config) scanner() (*scan.Scanner, scan.Strategy, error) {
	kinds := make([]scan.Kind, len(c.Types))
	for i, name := range c.Types {
		var ok bool
		if kinds[i], ok = scan.ParseKind(name); !ok {
			return nil, 0, &sdk.Error{Type: "config", Message: "types: " + name + " is unknown"}
		}
	}
	strategy, ok := scan.ParseStrategy(c.Strategy)
	if !ok {
		return nil, 0, &sdk.Error{Type: "config", Message: "strategy: " + c.Strategy + " is unknown"}
	}
	return scan.New(kinds...), strategy, nil
}
