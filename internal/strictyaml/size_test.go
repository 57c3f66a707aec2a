package strictyaml_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]strictyaml.Size{
		"0": 0, "1500": 1500, "0B": 0, "7B": 7, "1KiB": 1 << 10, "64MiB": 64 << 20, "64 MiB": 64 << 20, "2GiB": 2 << 30, "1TiB": 1 << 40,
		"1kB": 1000, "10MB": 1e7, "3GB": 3e9, "2TB": 2e12, `"5MiB"`: 5 << 20, "9223372036854775807": math.MaxInt64,
	} {
		var got strictyaml.Size
		require.NoError(t, strictyaml.Decode("f", []byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"64M":                   "expected a size, found string \"64M\"\n  | write 64MiB or 64MB",
		"64mib":                 "expected a size, found string \"64mib\"\n  | write 64MiB",
		"1.5GiB":                "expected a size, found string \"1.5GiB\"\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"1.5":                   "expected a size, found number 1.5\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"many":                  "expected a size, found string \"many\"\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"MiB":                   "expected a size, found string \"MiB\"\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"true":                  "expected a size, found boolean true\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"[]":                    "expected a size, found a list\n  | write a whole number and a unit: 64MiB, 10MB, 512KiB",
		"-1":                    "a size must not be negative, found -1",
		"-1MiB":                 "a size must not be negative, found -1MiB",
		"9223372036854775808":   "a size must be at most 8388607TiB, found 9223372036854775808",
		"8388608TiB":            "a size must be at most 8388607TiB, found 8388608TiB",
		"99999999999999999999B": "a size must be at most 8388607TiB, found 99999999999999999999B",
	} {
		var got strictyaml.Size
		err := strictyaml.Decode("f", []byte(text), &got)
		var problems *strictyaml.Error
		require.ErrorAs(t, err, &problems, text)
		message := problems.Problems[0].Message
		if hint := problems.Problems[0].Hint; hint != "" {
			message += "\n  | " + hint
		}
		require.Equal(t, want, message, text)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]strictyaml.Count{"0": 0, "1500": 1500, "10k": 10_000, "5M": 5e6, "1G": 1e9, "2T": 2e12} {
		var got strictyaml.Count
		require.NoError(t, strictyaml.Decode("f", []byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"10K", "1g", "1e9", "1GiB", "-5", "1.5M", "k"} {
		require.Error(t, strictyaml.Decode("f", []byte(text), new(strictyaml.Count)), text)
	}
}

func TestSizeAndCountPrintTheirShortestForm(t *testing.T) {
	t.Parallel()
	for size, want := range map[strictyaml.Size]string{0: "0B", 1500: "1500B", 1 << 10: "1KiB", 1<<20 + 1: "1048577B", 64 << 20: "64MiB", 1 << 40: "1TiB"} {
		require.Equal(t, want, size.String())
	}
	for count, want := range map[strictyaml.Count]string{0: "0", 1500: "1500", 10_000: "10k", 1e9: "1G"} {
		require.Equal(t, want, count.String())
	}
}
