package httptool_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/httptool"
)

// A tool that asks a service for the weather. The model chooses the city, and nothing else of the request.
func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"asked":%q,"current":{"temperature":12.5,"sky":"clear"}}`, r.URL.Path)
	}))
	defer service.Close()

	weather, err := httptool.New(httptool.Config{
		Name: "weather", Description: "Tells the weather of a city.",
		URL: service.URL + "/v1/{city}", Headers: map[string]string{"Authorization": "Bearer a-key-of-the-operator"},
		Result: "/current",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer weather.Close()
	fmt.Println(weather.Spec().Parameters.JSON())

	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(
				abi.Call("1", "weather", map[string]any{"city": "Oslo"}),
				abi.Call("2", "weather", map[string]any{"city": "../admin"}),
			),
			scripted.Say("It is clear."),
		),
		Tools: []host.Tool{weather},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("How is it in Oslo?")}})
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			fmt.Println(m.Status, m.Content.Text())
		}
	}
	fmt.Println(err)
	// Output:
	// {"additionalProperties":false,"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}
	// success {"temperature":12.5,"sky":"clear"}
	// error Error: the argument "city" may have no slashes, backslashes and control characters: it is one part of a path
	// <nil>
}
