package acp_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/server/acp"
)

// FuzzServer gives a server lines of any kind after the introduction. It must answer, and end.
func FuzzServer(f *testing.F) {
	f.Add(`{"id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}`)
	f.Add(`{"id":2,"method":"session/prompt","params":{"sessionId":"t","prompt":[{"type":"text","text":"hi"},{"type":"image","data":"AA=="}]}}`)
	f.Add(`{"id":2,"method":"session/load","params":{"cwd":"/work","sessionId":"t"}}` + "\n" + `{"method":"session/cancel","params":{"sessionId":"t"}}`)
	f.Add(`{"id":2,"method":"session/list","params":{"cursor":"1 t"}}` + "\n" + `{"id":3,"method":"session/set_config_option","params":{"value":[]}}`)
	f.Add(`{"id":2,"method":"session/delete","params":{"sessionId":"\u0000"}}` + "\n" + `{"id":1,"result":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		server := acp.New(acp.Config{
			Build: func(ctx context.Context, adjust func(*host.Config)) (*acp.Agent, error) {
				config := host.Config{Model: &scripted.Echo{}}
				adjust(&config)
				agent, err := host.NewContext(ctx, config)
				if err != nil {
					return nil, err
				}
				return &acp.Agent{Agent: agent, Close: agent.Close}, nil
			},
			Tools: acp.EditorRead, // no MCP server is started
			Clock: time.Now, Directory: "/work", Grace: time.Millisecond,
			NewThread: func() string { return "t" },
		})
		in, client := io.Pipe()
		out, back := io.Pipe()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			first := make([]byte, 1)
			_, _ = out.Read(first) // the answer to the introduction has begun
			_, _ = io.WriteString(client, text+"\n")
			_ = client.Close()
			_, _ = io.Copy(io.Discard, out)
		}()
		go func() {
			_, _ = io.WriteString(client, `{"id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
		}()
		require.NoError(t, server.Serve(t.Context(), in, back))
		_ = in.Close()
		_ = back.Close()
		<-answered
	})
}
