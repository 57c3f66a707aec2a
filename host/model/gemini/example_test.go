package gemini_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

func Example() {
	// A server in Google's place. Without a BaseURL the model is Google's own, and the key in GEMINI_API_KEY.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: ", hello, "\n\n")
	}))
	defer server.Close()
	m := gemini.New("gemini-3-flash")
	m.BaseURL = server.URL
	config, err := wire.Of(map[string]any{"temperature": 0.2, "thinkingConfig": map[string]any{"includeThoughts": true}})
	if err != nil {
		panic(err)
	}
	m.Settings = wire.Map{{Key: "generationConfig", Value: config}}
	for chunk, err := range m.Stream(context.Background(), &model.Request{Messages: history.Of(abi.Human("Say hello."))}) {
		if err != nil {
			panic(err)
		}
		fmt.Print(chunk.Text)
		if chunk.Response != nil {
			fmt.Println(":", chunk.Response.StopReason)
		}
	}
	// Output: hello: STOP
}
