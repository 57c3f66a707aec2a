package openai_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model/openai"
)

// seeds adds the samples of an API.
func seeds(f *testing.F, api openai.API, kind string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*"+kind))
	require.NoError(f, err)
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		if folder == "oracle" || apiOf(folder+"/"+name) != api {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
}

func FuzzChatResponse(f *testing.F) {
	seeds(f, openai.ChatCompletions, ".json")
	f.Fuzz(func(t *testing.T, text []byte) { fuzzed(t, openai.ChatCompletions, text, false) })
}

func FuzzChatStream(f *testing.F) {
	seeds(f, openai.ChatCompletions, ".sse")
	f.Fuzz(func(t *testing.T, text []byte) { fuzzed(t, openai.ChatCompletions, text, true) })
}

func FuzzResponsesResponse(f *testing.F) {
	seeds(f, openai.Responses, ".json")
	f.Fuzz(func(t *testing.T, text []byte) { fuzzed(t, openai.Responses, text, false) })
}

func FuzzResponsesStream(f *testing.F) {
	seeds(f, openai.Responses, ".sse")
	f.Fuzz(func(t *testing.T, text []byte) { fuzzed(t, openai.Responses, text, true) })
}
