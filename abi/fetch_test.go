package abi_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
)

func TestFetchResponseHeader(t *testing.T) {
	t.Parallel()
	response := abi.FetchResponse{Headers: []abi.Header{
		{Name: "etag", Value: "x"}, {Name: "set-cookie", Value: "a=1"}, {Name: "set-cookie", Value: "b=2"},
	}}
	require.Equal(t, "x", response.Header("etag"))
	require.Equal(t, "a=1", response.Header("set-cookie"))
	require.Empty(t, response.Header("ETag"), "names are in lower case")
	require.Empty(t, response.Header("age"))
}

func ExampleFetchResponse_Header() {
	response := abi.FetchResponse{Status: 200, Headers: []abi.Header{{Name: "content-type", Value: "text/plain"}}}
	fmt.Println(response.Header("content-type"))
	// Output: text/plain
}
