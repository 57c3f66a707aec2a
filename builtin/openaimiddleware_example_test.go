package builtin_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// What the model must not say takes no effect.
func ExampleOpenAIModeration() {
	server, _ := openAI(answer{200, moderation(false)}, answer{200, moderation(true)})
	defer server.Close()
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.Say("something rude")),
		Models:     map[string]model.Model{"moderator": &openai.Model{Name: "gpt-5-nano", BaseURL: server.URL, APIKey: "key"}},
		Middleware: []host.Middleware{builtin.OpenAIModeration{Client: "moderator", ExitBehavior: "replace"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	fmt.Println(result.Text(), err)
	// Output: I'm sorry, but I can't comply with that request. It was flagged for self harm intent. <nil>
}

// The Decisions API chooses the model, without images if it refuses them.
func ExampleOpenAIModelRouter() {
	server, requests := openAI(
		answer{400, object{"error": object{"message": "no images"}}},
		answer{200, object{"model": "gpt-6-luna", "answers": []any{object{
			"name": "model_route", "type": "choice", "choice": "fast", "confidence": 0.75,
			"probabilities": []any{object{"value": "fast", "probability": 0.875}, object{"value": "strong", "probability": 0.125}},
		}}, "usage": object{"input_tokens": 10}}},
	)
	defer server.Close()
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(),
		Models: map[string]model.Model{
			"judge": &openai.Decisions{Model: openai.Model{Name: "gpt-6-luna", BaseURL: server.URL, APIKey: "key"}},
			"small": scripted.NewTurns(scripted.Say("A cat.")), "large": scripted.NewTurns(),
		},
		Middleware: []host.Middleware{builtin.OpenAIModelRouter{
			Model: "judge", Instructions: "Choose.",
			Choices: map[string]builtin.ModelChoice{"fast": {Model: "small", Criteria: "Easy."}, "strong": {Model: "large", Criteria: "Hard."}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	question := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(abi.TextBlock("What is it?"), abi.ImageBlock("image/png", []byte("x")))}
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{question}})
	fmt.Println(result.Text(), result.Usage.InputTokens, err)
	fmt.Println((*requests)[1])
	// Output:
	// A cat. 10 <nil>
	// /decisions {"input":[{"content":[{"text":"What is it?","type":"input_text"},{"text":"[image omitted]","type":"input_text"}],"role":"user"}],"model":"gpt-6-luna","questions":[{"choices":[{"description":"Easy.","value":"fast"},{"description":"Hard.","value":"strong"}],"instructions":"Choose.","name":"model_route","type":"choice"}]}
}

// A call that the Decisions API will not judge does not run.
func ExampleOpenAIAutoMode() {
	server, requests := openAI(answer{200, object{"model": "gpt-6-luna", "answers": []any{object{"name": "is_risky", "type": "refusal"}}}})
	defer server.Close()
	remove := tool.Func("delete", "Deletes a file.", func(context.Context, struct{}) (string, error) { return "deleted", nil })
	agent, err := host.New(host.Config{
		Model:  scripted.NewTurns(scripted.CallTools(abi.Call("1", "delete", nil)), scripted.Say("I could not.")),
		Models: map[string]model.Model{"judge": &openai.Decisions{Model: openai.Model{Name: "gpt-6-luna", BaseURL: server.URL, APIKey: "key"}}},
		Tools:  []host.Tool{remove}, Middleware: []host.Middleware{builtin.OpenAIAutoMode{Model: "judge", Tools: []string{"delete"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Tidy up.")}})
	fmt.Println(result.Messages.At(2).Content.Text(), err)
	fmt.Println(strings.Contains((*requests)[0], `"type":"predicate"`))
	// Output:
	// The tool call `delete` was blocked because its risk could not be assessed. The tool was not executed. <nil>
	// true
}
