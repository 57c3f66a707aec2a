//go:build !no_serve

package main

import (
	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
)

// serveSchema returns the JSON Schema of serve.yaml.
func serveSchema() ([]byte, error) { return printed(config.Schema(catalog.Comment)) }

// apiDescription returns the OpenAPI description of the API of a server.
func apiDescription() ([]byte, error) {
	text, err := server.OpenAPI()
	return append(text, '\n'), err
}
