package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host/manifest"
	"github.com/agenthost/agenthost/internal/catalog"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of agenthost.yaml, for editors",
		Long: `Print the JSON Schema of manifests. An editor with a YAML language server completes and checks
agenthost.yaml with it, if its first line says where the schema is:

  # yaml-language-server: $schema=./agenthost.schema.json`,
		Example: "  agenthost schema > agenthost.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := manifest.Schema(catalog.Comment)
			if err != nil {
				return &exitError{exitFailed, err}
			}
			var b bytes.Buffer
			encoder := json.NewEncoder(&b)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(schema); err != nil {
				return &exitError{exitFailed, err}
			}
			if _, err := a.out.Write(b.Bytes()); err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
}
