package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

func Example() {
	// A server in Anthropic's place. Without a BaseURL the model is Anthropic's own, and the key in ANTHROPIC_API_KEY.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, data := range []string{begin, text, more, ended, end} {
			fmt.Fprint(w, "data: ", data, "\n\n")
		}
	}))
	defer server.Close()
	m := anthropic.New("claude-haiku-4-5")
	m.BaseURL = server.URL
	m.Settings = wire.Map{{Key: "max_tokens", Value: wire.Int(1000)}}
	for chunk, err := range m.Stream(context.Background(), &model.Request{Messages: history.Of(abi.Human("Say hi."))}) {
		if err != nil {
			panic(err)
		}
		fmt.Print(chunk.Text)
		if chunk.Response != nil {
			fmt.Println(":", chunk.Response.StopReason)
		}
	}
	// Output: hi: end_turn
}
