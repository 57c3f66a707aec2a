package builtin_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// dump is a tool that answers with what its argument names.
func dump(outputs map[string]*host.ToolOutput) host.Tool {
	type in struct {
		What string `json:"what"`
	}
	return tool.Func("dump", "", func(_ context.Context, in in) (*host.ToolOutput, error) { return outputs[in.What], nil })
}

func numberedLines(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	return text.String()
}

func TestFilesystemMovesLargeResults(t *testing.T) {
	t.Parallel()
	large := numberedLines(100)
	for _, where := range fileTrees {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			config := builtin.Filesystem{ToolTokenLimitBeforeEvict: new(25)} // 100 characters
			if where == "disk" {
				config.Root = t.TempDir()
			}
			image := abi.ImageBlock("image/png", []byte{1})
			failed := host.TextOutput(large)
			failed.Failed, failed.Artifact = true, wire.Int(7)
			agent, err := host.New(host.Config{
				Model: scripted.NewTurns(
					scripted.CallTools(
						abi.Call("call.1/a", "dump", args{"what": "large"}), abi.Call("small", "dump", args{"what": "small"}),
						abi.Call("failed", "dump", args{"what": "failed"}), abi.Call("blocks", "dump", args{"what": "blocks"}),
						abi.Call("runes", "dump", args{"what": "runes"}),
					),
					one("read_file", args{"file_path": "/large_tool_results/call_1_a", "offset": 98}),
					scripted.Say("done")),
				Tools: []host.Tool{dump(map[string]*host.ToolOutput{
					"large": host.TextOutput(large), "small": host.TextOutput(strings.Repeat("x", 100)), "failed": failed,
					"blocks": {Content: abi.Blocks(abi.TextBlock("a"), image, abi.TextBlock(strings.Repeat("b", 1001)))},
					"runes":  host.TextOutput(strings.Repeat("ü", 100)),
				})},
				Middleware: []host.Middleware{config, builtin.ToolCallLimit{RunLimit: new(10)}, builtin.PatchToolCalls{}},
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
			require.NoError(t, err)
			answers := map[string]*abi.Message{}
			for _, m := range result.Messages.All() {
				answers[m.ToolCallID] = m
			}
			require.Equal(t, `Tool result too large, the result of this tool call call.1/a was saved in the filesystem at this path: /large_tool_results/call_1_a

You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time.

You can do this by specifying an offset and limit in the read_file tool call. For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.

Here is a preview showing the head and tail of the result (lines of the form `+"`... [N lines truncated] ...`"+` indicate omitted lines in the middle of the content):

1  line 1
2  line 2
3  line 3
4  line 4
5  line 5
... [90 lines truncated] ...
 96  line 96
 97  line 97
 98  line 98
 99  line 99
100  line 100
`, answers["call.1/a"].Content.Text())
			require.Equal(t, strings.Repeat("x", 100), answers["small"].Content.Text(), "not more than the limit")
			require.Equal(t, strings.Repeat("ü", 100), answers["runes"].Content.Text(), "characters count, and not bytes")
			require.True(t, answers["failed"].Failed())
			require.Equal(t, wire.Int(7), answers["failed"].Artifact)
			require.Contains(t, answers["failed"].Content.Text(), "/large_tool_results/failed")
			blocks := answers["blocks"].Content.Blocks()
			require.Len(t, blocks, 2)
			require.Contains(t, blocks[0].Text(), "Here is a preview of the result (the output contains lines longer than 1000 characters; "+
				"this preview shows only their first 1000 characters):\n\n1  a\n2  "+strings.Repeat("b", 1000)+"\n")
			require.Contains(t, answers["failed"].Content.Text(), "indicate omitted lines in the middle of the content):")
			require.Equal(t, image, blocks[1])
			require.Equal(t, "@@ lines 99-100 of 100 @@\nline 99\nline 100", answers["id"].Content.Text())
			want := files{
				"/large_tool_results/call_1_a": large, "/large_tool_results/failed": large,
				"/large_tool_results/blocks": "a\n" + strings.Repeat("b", 1001),
			}
			if where == "disk" {
				require.Equal(t, want, filesIn(t, config.Root))
			} else {
				require.Equal(t, want, stateFiles(t, result))
			}
		})
	}
}

// Ids of calls may come again: what was moved before stays.
func TestFilesystemMovesResultsOfCallsWithOneID(t *testing.T) {
	t.Parallel()
	hostile := "../../" + strings.Repeat("x", 300) + "\x00"
	sum := sha256.Sum256([]byte(hostile))
	config := builtin.Filesystem{Root: t.TempDir(), ToolTokenLimitBeforeEvict: new(1)}
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: []scripted.Turn{
			one("dump", args{"what": "a"}), one("dump", args{"what": "b"}), one("dump", args{"what": "a"}),
			scripted.CallTools(abi.Call(hostile, "dump", args{"what": "a"})),
		}, AfterEnd: scripted.EndEmpty},
		Tools:      []host.Tool{dump(map[string]*host.ToolOutput{"a": host.TextOutput("aaaaa"), "b": host.TextOutput("bbbbb")})},
		Middleware: []host.Middleware{config},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, files{
		"/large_tool_results/id": "aaaaa", "/large_tool_results/id_2": "bbbbb",
		"/large_tool_results/" + hex.EncodeToString(sum[:16]): "aaaaa",
	}, filesIn(t, config.Root))
}

// A result that cannot be written stays as it is, and so do results of the filesystem's own tools and of calls that tools make.
func TestFilesystemLeavesResults(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 200)
	for title, test := range map[string]struct {
		config builtin.Filesystem
		turn   scripted.Turn
		want   string
	}{
		"nowhere to write": {builtin.Filesystem{ToolTokenLimitBeforeEvict: new(1)}, one("dump", args{"what": "a"}), large},
		"disabled":         {builtin.Filesystem{ToolTokenLimitBeforeEvict: new(0)}, one("dump", args{"what": "a"}), large},
		"nested":           {builtin.Filesystem{ToolTokenLimitBeforeEvict: new(20)}, one("nest", nil), "200"},
		"own": {
			builtin.Filesystem{ToolTokenLimitBeforeEvict: new(1)}, one("grep", args{"pattern": "x"}), "/large_tool_results",
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			test.config.Root = directory(t, files{"/large_tool_results": "x is a file here"})
			agent, err := host.New(host.Config{
				Model: scripted.NewTurns(test.turn, scripted.Say("done")),
				Tools: []host.Tool{
					dump(map[string]*host.ToolOutput{"a": host.TextOutput(large)}),
					tool.Raw(abi.ToolSpec{Name: "nest"}, func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
						m, err := rt.CallTool(ctx, "dump", wire.Map{{Key: "what", Value: wire.String("a")}}.Raw())
						if err != nil {
							return nil, err
						}
						return host.TextOutput(fmt.Sprint(len(m.Content.Text()))), nil
					}),
				},
				Middleware: []host.Middleware{test.config},
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
			require.NoError(t, err)
			require.Equal(t, []string{test.want}, toolAnswers(result))
		})
	}
}

// The model is shown a preview of a large message of the user, in this run and the next; the history keeps the message.
func TestFilesystemMovesLargeMessages(t *testing.T) {
	t.Parallel()
	large := numberedLines(30)
	for _, where := range fileTrees {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			config := builtin.Filesystem{HumanMessageTokenLimitBeforeEvict: new(25)}
			if where == "disk" {
				config.Root = t.TempDir()
			}
			var seen [][]string
			spy := host.WrapModelCall("spy", func(
				ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				seen = append(seen, lines(req.Messages))
				resp, err := next(ctx, req)
				return resp, nil, err
			}, host.PassesTokens())
			agent, err := host.New(host.Config{
				Model: &scripted.Turns{Script: []scripted.Turn{
					one("ls", args{"path": "/conversation_history"}), scripted.Say("done"), scripted.Say("again"),
				}},
				Checkpointer: memory.New(), Middleware: []host.Middleware{config, builtin.ModelCallLimit{RunLimit: new(9)}, spy},
			})
			require.NoError(t, err)
			defer func() { require.NoError(t, agent.Close()) }()
			human := abi.Human(large)
			human.ID, human.Meta = "m-1", wire.Map{{Key: "mine", Value: wire.Int(1)}}
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human(strings.Repeat("old ", 50)), human}})
			require.NoError(t, err)
			const preview = "human Message content too large and was saved to the filesystem at: /conversation_history/m-1.md\n\n" +
				"You can read the full content using the read_file tool with pagination (offset and limit parameters).\n\n" +
				"Here is a preview showing the head and tail of the content (lines of the form `... [N lines truncated] ...` " +
				"indicate omitted lines in the middle of the content):\n\n" +
				"1  line 1\n2  line 2\n3  line 3\n4  line 4\n5  line 5\n... [20 lines truncated] ...\n" +
				"26  line 26\n27  line 27\n28  line 28\n29  line 29\n30  line 30\n"
			require.Equal(t, preview, seen[0][1])
			require.Equal(t, preview, seen[1][1])
			require.True(t, strings.HasPrefix(seen[0][0], "human old old"), "only the last message is moved")
			require.Equal(t, []string{`["/conversation_history/m-1.md"]`}, toolAnswers(result))
			kept := result.Messages.At(1)
			require.Equal(t, large, kept.Content.Text())
			require.Equal(t, `{"lc_evicted_to":"/conversation_history/m-1.md","mine":1}`, kept.Meta.Raw().JSON())

			result, err = agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("more")}})
			require.NoError(t, err)
			require.Equal(t, preview, seen[2][1])
			if where == "disk" {
				require.Equal(t, files{"/conversation_history/m-1.md": large}, filesIn(t, config.Root))
			} else {
				require.Equal(t, files{"/conversation_history/m-1.md": large}, stateFiles(t, result))
			}
		})
	}
}

// A message that cannot be written is shown whole, and one that another middleware has made is not marked.
func TestFilesystemMessagesOfOthers(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 200)
	replace := host.WrapModelCall("replace", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithMessages(req.Messages.Append(abi.Human(large))))
		return resp, nil, err
	}, host.PassesTokens())
	for _, given := range []files{{}, {"/conversation_history": "a file"}} {
		var seen string
		spy := host.WrapModelCall("spy", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			last, _ := req.Messages.Last()
			seen = last.Content.Text()
			resp, err := next(ctx, req)
			return resp, nil, err
		}, host.PassesTokens())
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(scripted.Say("done")),
			Middleware: []host.Middleware{
				replace, builtin.Filesystem{Root: directory(t, given), HumanMessageTokenLimitBeforeEvict: new(10)}, spy,
			},
		})
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		require.Equal(t, []string{"human go", "ai done"}, lines(result.Messages))
		if len(given) > 0 {
			require.Equal(t, large, seen)
		} else {
			require.Contains(t, seen, "Message content too large and was saved to the filesystem at: /conversation_history/")
		}
	}
}
