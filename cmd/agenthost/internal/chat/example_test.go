package chat_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// finally returns a history that ends with an answer.
func finally(text string) history.List { return history.Of(abi.Human("hi"), abi.AI(text)) }

// This is a conversation line by line, as in a script.
func ExampleChat() {
	threads := memory.New()
	agent, err := host.New(host.Config{Model: scripted.NewTurns(scripted.Say("Hello."), scripted.Say("Ada.")), Checkpointer: threads})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	c := &chat.Chat{
		Agent: agent, Threads: threads, Thread: "ada", Messages: chat.NewLines(strings.NewReader("I am Ada.\nWho am I?\n")),
		Screen: &chat.Screen{Answers: os.Stdout, Notes: os.Stderr},
	}
	if err := c.Converse(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Hello.
	// Ada.
}
