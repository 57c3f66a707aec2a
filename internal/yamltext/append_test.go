package yamltext_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/yamltext"
)

// written returns a document {v: value} as YAML.
func written(value wire.Raw) string { return string(yamltext.Append([]byte("v:"), value, 2)) + "\n" }

func TestDocumentsAreWrittenAsBlocks(t *testing.T) {
	t.Parallel()
	value, err := wire.Of(map[string]any{
		"list": []any{1, "a", []any{}, map[string]any{"k": true, "odd key": nil}}, "text": "one\n\n  two", "end": "one\n", "true": map[string]any{},
	})
	require.NoError(t, err)
	require.Equal(t, `v:
  end: "one\n"
  list:
    - 1
    - "a"
    - []
    - k: true
      "odd key": null
  text: |-
    one

      two
  "true": {}
`, written(value))
}

// FuzzAppend shows that every document reads as it was.
func FuzzAppend(f *testing.F) {
	f.Add(`{"a":[1,{"b":"x\ny"}],"c":{"d":[[]]}}`)
	f.Add(`"- a\n# b\n---\n  c: d\n\n\tx"`)
	f.Add(`"a\n "`)
	f.Fuzz(func(t *testing.T, text string) {
		value, err := wire.FromJSON([]byte(text), wire.Limits{MaxDepth: 20})
		if err != nil {
			t.Skip(err)
		}
		var read struct {
			V any `yaml:"v" strict:"optional"`
		}
		if err := strictyaml.Decode("f.yaml", []byte(written(value)), &read); err != nil {
			t.Skip(err) // a key or a number that no file may have
		}
		again, err := wire.Of(read.V)
		require.NoError(t, err)
		require.JSONEq(t, value.JSON(), again.JSON(), written(value))
	})
}

func TestTheBlockOfAKey(t *testing.T) {
	t.Parallel()
	lines := bytes.SplitAfter([]byte("a:\n  b:\n    - 1\n\n    - 2\n  # c\n  d: 1\ne: 2\n"), []byte("\n"))
	require.Equal(t, 5, yamltext.Block(lines, 1, 2))
	require.Equal(t, 7, yamltext.Block(lines, 0, 0))
	require.Equal(t, 8, yamltext.Block(lines, 7, 0))
}
