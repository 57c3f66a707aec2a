package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) schemaCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "schema [flags]",
		Short: "Print the JSON Schema of agenthost.yaml for editors",
		Long: `Print the JSON Schema of manifests. An editor with a YAML language server uses it to complete and check
agenthost.yaml if the first line of the manifest names the schema:

  # yaml-language-server: $schema=./agenthost.schema.json`,
		Example: "  agenthost schema -o agenthost.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			schema, err := manifestSchema()
			if err != nil {
				return &exitError{exitFailed, err}
			}
			if file == "" {
				_, err = a.out.Write(schema)
			} else {
				err = atomicfile.Write(file, schema, 0o644)
				if err != nil {
					err = fmt.Errorf("schema: %s cannot be written: %w; name another file with -o FILE", file, err)
				}
			}
			if err != nil {
				return &exitError{exitFailed, err}
			}
			return nil
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write to this `FILE`")
	return c
}

// manifestSchema returns the JSON Schema of manifests.
func manifestSchema() ([]byte, error) {
	schema, err := manifest.Schema(catalog.Comment)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = terminal.PrintDocument(&b, schema)
	return b.Bytes(), err
}
