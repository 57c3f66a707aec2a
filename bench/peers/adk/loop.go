package main

import (
	"context"
	"fmt"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"

	"github.com/agenthost/agenthost/bench/peer"
)

const app, user, assistant = "bench", "someone", "assistant"

// loop performs a case of the suite loop. A runner cannot do without sessions, so that each case has them in memory.
func loop(name string, seconds float64) (*peer.Result, error) {
	loop, err := peer.LoopOf(name)
	if err != nil {
		return nil, err
	}
	scripted, search, sessions := &scripted{parallel: loop.Calls}, &search{}, &sessions{service: session.InMemoryService()}
	runs, err := newRunner(scripted, search, sessions.service, loop.Middlewares)
	if err != nil {
		return nil, err
	}

	ctx := context.Background()
	return loop.Measure(seconds, func(rounds int, begin, end func()) (peer.Tally, error) {
		scripted.rounds, scripted.calls = rounds, 0
		search.calls.Store(0)
		id, err := sessions.next(ctx, loop.History)
		if err != nil {
			return peer.Tally{}, err
		}

		begin()
		for _, err := range runs.Run(ctx, user, id, genai.NewContentFromText("hi", genai.RoleUser), agent.RunConfig{}) {
			if err != nil {
				return peer.Tally{}, err
			}
		}
		end()

		messages, last, err := sessions.take(ctx, id)
		return peer.Tally{Calls: scripted.calls, Tools: int(search.calls.Load()), Messages: messages, Last: last}, err
	})
}

// newRunner returns a runner of an agent with the model, the tool, and so many plugins that do nothing.
func newRunner(scripted *scripted, search *search, sessions session.Service, plugins int) (*runner.Runner, error) {
	searcher, err := search.tool()
	if err != nil {
		return nil, err
	}
	assistant, err := llmagent.New(llmagent.Config{
		Name:        assistant,
		Description: "Answers questions.",
		Model:       scripted,
		Tools:       []tool.Tool{searcher},
	})
	if err != nil {
		return nil, err
	}
	config := runner.Config{AppName: app, Agent: assistant, SessionService: sessions, AutoCreateSession: true}
	for i := range plugins {
		nothing, err := plugin.New(plugin.Config{Name: fmt.Sprint("nothing", i), BeforeModelCallback: nothing})
		if err != nil {
			return nil, err
		}
		config.PluginConfig.Plugins = append(config.PluginConfig.Plugins, nothing)
	}
	return runner.New(config)
}

func nothing(agent.Context, *model.LLMRequest) (*model.LLMResponse, error) { return nil, nil }
