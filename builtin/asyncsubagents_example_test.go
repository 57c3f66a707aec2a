package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A small part of an agent server: one thread whose run has succeeded when somebody looks.
func oneTask() *httptest.Server {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]any{
		"POST /threads":           map[string]any{"thread_id": "t1"},
		"POST /threads/t1/runs":   map[string]any{"run_id": "r1", "status": "pending"},
		"GET /threads/t1/runs/r1": map[string]any{"run_id": "r1", "status": "success"},
		"GET /threads/t1":         map[string]any{"thread_id": "t1", "status": "idle", "values": map[string]any{"messages": []any{map[string]any{"type": "ai", "content": "1889"}}}},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(answer) })
	}
	return httptest.NewServer(mux)
}

// The model goes on while the subagent works, and learns of the result from a notification.
func ExampleAsyncSubagents() {
	server := oneTask()
	defer server.Close()
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "start_async_task", map[string]any{
				"description": "When was the Eiffel tower finished?", "subagent_type": "researcher",
			})),
			scripted.Say("It was finished in 1889."),
		),
		Middleware: []host.Middleware{builtin.AsyncSubagents{AsyncSubagents: []builtin.AsyncSubagent{
			{Name: "researcher", Description: "Finds out facts.", GraphID: "research", URL: server.URL},
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Ask a researcher about the tower.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Messages.All() {
		if says, _, _ := strings.Cut(m.Content.Text(), "\n"); says != "" {
			fmt.Printf("%s: %s\n", m.Role, says)
		}
	}
	// Output:
	// human: Ask a researcher about the tower.
	// tool: Launched async subagent. task_id: t1
	// human: [SYSTEM NOTIFICATION - NOT USER INPUT]
	// ai: It was finished in 1889.
}
