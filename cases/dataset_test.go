package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases"
)

// dataset writes a case and its table, and reads the cases.
func dataset(t *testing.T, text, name, table string) ([]*cases.Case, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(table), 0o600))
	path := filepath.Join(dir, "set.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return cases.LoadAll(path)
}

// The rows have the format of GSM8K, https://huggingface.co/datasets/openai/gsm8k.
const gsm8k = `{"question": "Ann has 3 apples and buys 4.\nHow many has she?", "answer": "She has 3+4=<<3+4=7>>7 apples.\n#### 7"}
{"question": "How many legs have 2 dogs?", "answer": "2*4=<<2*4=8>>8\n#### 8"}

{"question": "unused", "answer": "#### 0", "level": 3}
`

func TestADatasetOfJSONLines(t *testing.T) {
	t.Parallel()
	all, err := dataset(t, `dataset:
  file: gsm8k.jsonl
  limit: 2
  columns: {result: {from: answer, regexp: '#### (.+)'}}
turns:
  - input: "${question}"
    expect: {message: {contains: "${result}"}}
`, "gsm8k.jsonl", gsm8k)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "Ann has 3 apples and buys 4.\nHow many has she?", all[0].Turns[0].Input)
	o := outcome(t)
	o.Answer = "It is 8."
	require.Empty(t, all[1].Turns[0].Compare(o))
	require.NotEmpty(t, all[0].Turns[0].Compare(o))
	require.Equal(t, "set.yaml#2", filepath.Base(all[1].Title()))
	_, err = all[0].Update([]*cases.Outcome{o})
	require.ErrorContains(t, err, "a case with a dataset cannot be updated")
}

func TestADatasetOfCSV(t *testing.T) {
	t.Parallel()
	all, err := dataset(t, "dataset: {file: a.csv}\nturns: [{input: \"${q}\", expect: {message: \"${a}\"}}]", "a.csv", "\ufeffq, a\n\"one,\ntwo\",3\nx,\"\"\"y\"\"\"\n")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "one,\ntwo", all[0].Turns[0].Input)
}

func TestDatasetsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, file, table, message string }{
		"missing file":   {"file: gone.csv", "a.csv", "", "no such file"},
		"other format":   {"file: a.txt", "a.txt", "", "must be a file *.jsonl or *.csv"},
		"no rows":        {"file: a.csv", "a.csv", "q\n", "has no rows"},
		"nothing":        {"file: a.csv", "a.csv", "", "has no rows"},
		"no object":      {"file: a.jsonl", "a.jsonl", "[1]\n", "line 1: each line must be a JSON object"},
		"ragged":         {"file: a.csv", "a.csv", "q,b\n1\n", "wrong number of fields"},
		"missing column": {"file: a.csv", "a.csv", "b\n1\n", "row 1 of a.csv"},
		"no source":      {"file: a.csv, columns: {c: {from: z, regexp: a}}", "a.csv", "q\n1\n", `has no column "z"`},
		"no match":       {"file: a.csv, columns: {c: {from: q, regexp: x}}", "a.csv", "q\n1\n", "does not match"},
		"no expression":  {"file: a.csv, columns: {c: {from: q, regexp: '('}}", "a.csv", "q\n1\n", "columns.c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := dataset(t, "dataset: {"+test.keys+"}\nturns: [{input: \"${q}\"}]", test.file, test.table)
			require.ErrorContains(t, err, test.message)
		})
	}
}

// FuzzDataset reads any table.
func FuzzDataset(f *testing.F) {
	f.Add("a.jsonl", gsm8k)
	f.Add("a.csv", "q\n\"a\"\n")
	f.Fuzz(func(t *testing.T, name, table string) {
		if name = filepath.Base(name); !strings.HasSuffix(name, "l") {
			name = "a.csv"
		} else {
			name = "a.jsonl"
		}
		all, err := dataset(t, "dataset: {file: "+name+"}\nturns: [{input: \"${q}\"}]", name, table)
		if err == nil {
			require.NotEmpty(t, all)
		}
	})
}
