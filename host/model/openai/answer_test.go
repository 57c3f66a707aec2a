package openai_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

var update = flag.Bool("update", false, "write testdata/answers.txt anew")

// answersFile has what is to be made of the responses in testdata, by their names.
const answersFile = "testdata/answers.txt"

// differing are samples of servers whose streams say less, or something else, than their whole responses: they have
// sections of their own.
var differing = map[string]bool{
	"aimock/chat.surrogate": true, "aimock/responses.surrogate": true, // cuts characters in two
	"stubllm/chat.badargs": true, "stubllm/chat.json": true, "stubllm/chat.length": true, "stubllm/chat.mixed": true,
	"stubllm/chat.objargs": true, "stubllm/chat.one-tool": true, "stubllm/chat.text": true, "stubllm/chat.two-tools": true,
	"stubllm/chat.emptyc": true, // have no usage, and no reason to stop
}

func apiOf(sample string) openai.API {
	if strings.HasPrefix(sample, "responses/") || strings.Contains(sample, "/responses.") {
		return openai.Responses
	}
	return openai.ChatCompletions
}

func TestGenerateAndStreamGiveTheSame(t *testing.T) { //nolint:tparallel // what follows the group reads what all of it has said
	t.Parallel()
	var mutex sync.Mutex
	got := map[string]string{}
	t.Run("samples", func(t *testing.T) {
		for _, folder := range []string{"aimock", "stubllm", "chat", "responses"} {
			files, err := filepath.Glob(filepath.Join("testdata", folder, "*.sse"))
			require.NoError(t, err)
			require.NotEmpty(t, files)
			for _, file := range files {
				name := folder + "/" + strings.TrimSuffix(filepath.Base(file), ".sse")
				whole := strings.TrimSuffix(file, ".sse") + ".json"
				if _, err := os.Stat(whole); err != nil { // one that is cut off
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					once := answerOf(t, name, filepath.Base(whole), false)
					pieces := answerOf(t, name, filepath.Base(file), true)
					mutex.Lock()
					defer mutex.Unlock()
					if got[name] = once; differing[name] {
						got[name+" streamed"] = pieces
						return
					}
					require.Equal(t, once, pieces)
				})
			}
		}
	})
	if *update {
		var out strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			out.WriteString("== " + name + "\n" + got[name] + "\n")
		}
		require.NoError(t, os.WriteFile(answersFile, []byte(out.String()), 0o600))
	}
	want := map[string]string{}
	for section := range strings.SplitSeq(testdata(t, "answers.txt"), "== ") {
		name, text, _ := strings.Cut(section, "\n")
		if name != "" {
			want[name] = strings.TrimSuffix(text, "\n")
		}
	}
	require.Equal(t, want, got)
}

// answerOf shows what is made of a sample.
func answerOf(t *testing.T, name, file string, streaming bool) string {
	t.Helper()
	req := request(hi)
	if strings.HasSuffix(name, "json") {
		req = req.WithFormat(&model.Format{Name: "x", Schema: rawOf(t, `{"type":"object"}`)})
	}
	m := modelAt(t, saying(t, testdata(t, filepath.Dir(name), file)), apiOf(name))
	if !streaming {
		resp, err := m.Generate(t.Context(), req)
		return answerShown(t, resp, err)
	}
	out := stream(t.Context(), m, req)
	if out.resp != nil && !differing[name] {
		said := out.resp.AI().Content.Text()
		for _, block := range out.resp.AI().Content.Blocks() {
			if block.Type() == abi.BlockRefusal {
				said += block.Text()
			}
		}
		require.Equal(t, said, out.text, "of the pieces")
		require.Equal(t, thought(out.resp.AI()), out.reasoning)
	}
	return answerShown(t, out.resp, out.err)
}

func answerShown(t *testing.T, resp *model.Response, err error) string {
	t.Helper()
	if err != nil {
		require.Nil(t, resp)
		text, _, _ := strings.Cut(err.Error(), ": {") // which quotes what came
		return string(failure(t, err).Kind) + " " + text
	}
	ai := resp.AI()
	require.Len(t, resp.Messages, 1)
	require.Empty(t, ai.ID, "the host gives ids")
	of := func(key string) string {
		text, _ := ai.Meta.Get(key).AsString()
		return text
	}
	require.Equal(t, openai.Provider, of("provider"))
	require.Equal(t, resp.Model, of("model"))
	require.Equal(t, resp.StopReason, of("stop_reason"))
	return randomID.ReplaceAllString(shown(resp), "$1-*")
}

// randomID is an id that aimock has made.
var randomID = regexp.MustCompile(`\b(rs|call)[-_][\w-]{16}`)
