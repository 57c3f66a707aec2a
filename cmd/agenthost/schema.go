package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/catalog"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/eventdoc"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/manifest"
)

func (a *app) schemaCommand() *cobra.Command {
	c := a.printsSchema(manifestSchema)
	c.Use = "schema [flags]"
	c.Short = "Print the JSON Schema of agenthost.yaml for editors, or of events"
	c.Long = `Print the JSON Schema of manifests. An editor with a YAML language server uses it to complete and check
agenthost.yaml if the first line of the manifest names the schema:

  # yaml-language-server: $schema=./agenthost.schema.json`
	c.Example = "  agenthost schema -o agenthost.schema.json\n  agenthost schema events"
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
	events := a.printsSchema(eventSchema)
	events.Use = "events [flags]"
	events.Short = "Print the JSON Schema of the events of --output jsonl"
	events.Long = `Print the JSON Schema of a line that 'agenthost run --output jsonl' prints. The document docs/events.md describes
the events.`
	events.Example = "  agenthost schema events -o events.schema.json"
	events.Args = noArguments
	serve := a.printsSchema(serveSchema)
	serve.Use = "serve [flags]"
	serve.Short = "Print the JSON Schema of serve.yaml"
	serve.Long = "Print the JSON Schema of serve.yaml, the file that says how agents are served."
	serve.Example = "  agenthost schema serve -o serve.schema.json"
	serve.Args = noArguments
	api := a.printsSchema(apiDescription)
	api.Use = "openapi [flags]"
	api.Short = "Print the OpenAPI description of the API of agenthost serve"
	api.Long = `Print the description of the API of 'agenthost serve', a document of OpenAPI 3.1. A running server answers
GET /openapi.json with it. The document docs/server.md describes the API.`
	api.Example = "  agenthost schema openapi -o openapi.json"
	api.Args = noArguments
	testCase := a.printsSchema(caseSchema)
	testCase.Use = "case [flags]"
	testCase.Short = "Print the JSON Schema of the cases of agenthost test"
	testCase.Long = `Print the JSON Schema of the files tests/*.yaml, the cases of 'agenthost test'. The document docs/test.md describes
them.`
	testCase.Example = "  agenthost schema case -o case.schema.json"
	testCase.Args = noArguments
	c.AddCommand(events, serve, api, testCase)
	return c
}

// printsSchema returns a command that prints a schema.
func (a *app) printsSchema(schema func() ([]byte, error)) *cobra.Command {
	var file string
	c := &cobra.Command{RunE: func(*cobra.Command, []string) error {
		text, err := schema()
		if err != nil {
			return &exitError{exitFailed, err}
		}
		if file == "" {
			_, err = a.out.Write(text)
		} else if err = atomicfile.Write(file, text, 0o644); err != nil {
			err = fmt.Errorf("schema: %s cannot be written: %w; name another file with -o FILE", file, err)
		}
		if err != nil {
			return &exitError{exitFailed, err}
		}
		return nil
	}}
	c.Flags().StringVarP(&file, "output", "o", "", "write to this `FILE`")
	return c
}

// eventSchema returns the JSON Schema of events.
func eventSchema() ([]byte, error) {
	var b bytes.Buffer
	err := terminal.PrintDocument(&b, eventdoc.Schema())
	return b.Bytes(), err
}

// manifestSchema returns the JSON Schema of manifests.
func manifestSchema() ([]byte, error) { return printed(manifest.Schema(catalog.Comment)) }

// caseSchema returns the JSON Schema of cases.
func caseSchema() ([]byte, error) { return printed(cases.Schema(catalog.Comment)) }

func printed(schema map[string]any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = terminal.PrintDocument(&b, schema)
	return b.Bytes(), err
}
