package mcp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/test/testservers"
)

// announcements is a log that tells when a server has announced that its tools have changed.
type announcements struct {
	slog.Handler

	heard chan struct{}
}

func announced() *announcements {
	return &announcements{slog.DiscardHandler, make(chan struct{}, 100)}
}

func (*announcements) Enabled(context.Context, slog.Level) bool { return true }

func (a *announcements) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "tools have changed") {
		a.heard <- struct{}{}
	}
	return nil
}

func (a *announcements) WithAttrs([]slog.Attr) slog.Handler { return a }

func TestAnAnnouncedListIsReadByRefresh(t *testing.T) {
	t.Parallel()
	for version, supported := range map[string][]string{"2025-11-25": {"2025-11-25"}, "newest": nil} {
		for _, transport := range []string{"http", "in process"} {
			t.Run(version+" "+transport, func(t *testing.T) {
				t.Parallel()
				server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: supported})
				server.AddTool(&sdk.Tool{Name: "a", InputSchema: object(nil)}, say("a"))
				server.AddTool(&sdk.Tool{Name: "b", InputSchema: object(nil)}, say("b"))
				config := mcp.Config{Name: "s", Include: []string{"a", "[bc]"}}
				if transport == "http" {
					handle := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
					web := httptest.NewServer(handle)
					t.Cleanup(web.Close)
					config.URL = web.URL
				} else {
					config.Transport = inProcess(t, server)
				}
				said := announced()
				config.Logger = slog.New(said)
				s := connect(t, config)
				before := s.Tools()
				require.NoError(t, s.Refresh(t.Context()), "nothing was announced")
				require.Equal(t, before, s.Tools())

				server.AddTool(&sdk.Tool{Name: "c", InputSchema: object(nil)}, say("c"))
				<-said.heard
				require.Equal(t, []string{"a", "b"}, names(s), "until it is refreshed")
				require.NoError(t, s.Refresh(t.Context()))
				require.Equal(t, []string{"a", "b", "c"}, names(s))
				require.Same(t, before[0], s.Tools()[0], "an unchanged tool stays the same")
				require.Equal(t, "c", answered(t, s, "c", nil))

				server.RemoveTools("a")
				<-said.heard
				for range 2 {
					require.ErrorContains(t, s.Refresh(t.Context()), `MCP server "s": include: the pattern "a" matches no tool of the server, which has [b, c]`)
					require.Equal(t, []string{"a", "b", "c"}, names(s), "the last good list")
				}
				require.Contains(t, refused(t, s, "a"), "no longer has this one")

				server.AddTool(&sdk.Tool{Name: "a", InputSchema: object(map[string]any{"n": map[string]any{"type": "integer"}})}, say("new"))
				<-said.heard
				require.NoError(t, s.Refresh(t.Context()))
				require.Equal(t, "new", answered(t, s, "a", map[string]any{"n": 1}))
				require.NotSame(t, before[0], s.Tools()[0])
				s.Close()
				require.ErrorIs(t, s.Refresh(t.Context()), mcp.ErrClosed)
			})
		}
	}
}

// The server announces its tools for clients that can ask a person only after the connection was made.
func TestTheServerOfEverythingAnnouncesTools(t *testing.T) {
	t.Parallel()
	said := announced()
	s := connect(t, mcp.Config{Command: testservers.Everything(t), Elicitation: true, Logger: slog.New(said)})
	<-said.heard
	require.NoError(t, s.Refresh(t.Context()))
	require.Contains(t, names(s), "trigger-elicitation-request")
}
