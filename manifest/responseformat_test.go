package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// reporting is a manifest whose model answers with a report, at first one without a title.
const reporting = head + `model:
  provider: scripted
  turns:
    - {tool_calls: [{id: "1", name: Report, args: {score: 1}}]}
    - {tool_calls: [{id: "2", name: Report, args: {title: a}}]}
`

const reportSchema = `{title: Report, type: object, properties: {title: {type: string}}, required: [title]}`

func TestResponseFormat(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format string
		first  string // the answer to the value without a title
	}{
		"a schema":      {"{schema: " + reportSchema + "}", "Error: Failed to parse structured output for tool 'Report'"},
		"a schema file": {"{schema: report.json}", "Error: Failed to parse structured output for tool 'Report'"},
		"schemas": {
			"{strategy: tool, schemas: [" + reportSchema + ", {title: Other, type: object}], handle_errors: true}",
			"Error: Failed to parse structured output for tool 'Report'",
		},
		"an answer of its own": {"{schema: " + reportSchema + ", handle_errors: Once more!}", "Once more!"},
		"kinds of errors": {
			"{schema: " + reportSchema + ", handle_errors: [structured_output_validation]}",
			"Error: Failed to parse structured output for tool 'Report'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := setup(t, reporting+"response_format: "+test.format+"\n", nil)
			schema := `{"title": "Report", "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}`
			require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "report.json"), []byte(schema), 0o600))

			result := ask(t, build(t, path, manifest.Options{}))

			require.JSONEq(t, `{"title": "a"}`, result.Structured.JSON())
			require.JSONEq(t, `{"title": "a"}`, result.Answer())
			first := result.Messages.At(2)
			require.Contains(t, first.Content.Text(), test.first)
		})
	}
}

func TestResponseFormatsThatAreRefused(t *testing.T) {
	t.Parallel()
	for format, says := range map[string]string{
		"{}": "a response format needs either schema or schemas, and not both",
		"{schema: {type: object}, schemas: [{type: object}]}":                    "a response format needs either schema or schemas, and not both",
		"{schema: {type: object}, strategy: magic}":                              `agenthost.yaml:7:53: response_format.strategy`,
		"{schema: {type: object}, handle_errors: 7}":                             "handle_errors must be true, false, a text for the model, or a list of kinds of errors",
		"{schema: {type: object}, handle_errors: [multiple_structured_outputz]}": `unknown kind of error "multiple_structured_outputz"`,
		"{schema: {type: objet}}":                                                `there is no type "objet"; did you mean "object"?`,
		"{schema: {properties: {a: 4}}}":                                         "schema: /properties/a: a schema must be an object, true or false, not the number 4",
		"{schema: {properties: {a: }}}":                                          "schema: /properties/a: a schema must be an object, true or false, not null",
		"{schema: none.json}":                                                    "none.json: there is no such file",
		"{schema: agenthost.yaml}":                                               "agenthost.yaml:7:27: response_format.schema: agenthost.yaml: json",
		"{schema: {type: 7}}":                                                    "agenthost.yaml:7:18: ",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			path := setup(t, reporting+"response_format: "+format+"\n", nil)
			m, err := manifest.Load(path, manifest.Options{})
			if err == nil {
				_, err = m.Build(t.Context(), nil, nil)
			}
			require.ErrorContains(t, err, says)
		})
	}
}

func TestResponseFormatThatRaises(t *testing.T) {
	t.Parallel()
	path := setup(t, reporting+"response_format: {schema: "+reportSchema+", handle_errors: false}\n", nil)
	_, err := build(t, path, manifest.Options{}).Run(t.Context(), host.Input{})
	var wrong *host.StructuredError
	require.ErrorAs(t, err, &wrong)
}
