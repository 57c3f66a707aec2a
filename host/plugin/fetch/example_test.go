package fetch_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// The client refuses a request that is not granted before it looks up or sends anything.
func ExampleClient_Do() {
	client, err := fetch.New(fetch.Policy{
		Hosts:   []string{"api.example.com", "*.tides.example:8443"},
		Secrets: map[string]fetch.Secret{"WEATHER": {Value: "a value of the operator", Hosts: []string{"api.example.com"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	for _, url := range []string{
		"https://evil.example/", "http://api.example.com/", "https://api.example.com@evil.example/", "https://north.tides.example:8443/",
	} {
		_, err := client.Do(context.Background(), &abi.FetchRequest{
			URL: url, Headers: []abi.Header{{Name: "authorization", Value: "Bearer ${secret:WEATHER}"}},
		})
		if failure, ok := errors.AsType[*fetch.Error](err); ok {
			fmt.Println(failure.Status(), failure.Text)
		}
	}
	// Output:
	// EDENIED https://evil.example is not granted
	// EDENIED http://api.example.com is not granted
	// EINVAL the URL has a user or password; send an authorization header instead
	// EDENIED the secret WEATHER is not granted for https://north.tides.example:8443
}
