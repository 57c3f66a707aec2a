// Command start is the smallest agent of a Go program: it asks its model once, at MODEL_URL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/tool"
)

type query struct {
	Q string `json:"q"`
}

func main() {
	search := tool.Func("search", "Searches.", func(context.Context, query) (string, error) { return "result", nil })
	agent, err := host.New(host.Config{
		Model: &openai.Model{Name: "m", BaseURL: os.Getenv("MODEL_URL"), APIKey: "none"},
		Tools: []host.Tool{search},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
}
