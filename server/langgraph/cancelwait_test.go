package langgraph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cancel that waits uses a stream of its owner. Without a free one the run is cancelled nevertheless.
func TestACancelThatWaitsUsesAStream(t *testing.T) {
	t.Parallel()
	r := setup(t, keys()+"limits: {streams_per_owner: 1}").as(annsKey)
	thread := r.thread()
	stream := r.send(t.Context(), "POST", "/threads/"+thread+"/runs/stream", doc{"assistant_id": "agent", "input": human("block")})
	<-r.began
	run := stream.header.Get("Content-Location")
	require.Contains(t, r.refused(429, "POST", strings.TrimSuffix(run, "/stream")+"/cancel?wait=1", nil), "you have 1 streams at once")
	require.NotEmpty(t, r.frames(stream), "it ends")
	require.Equal(t, "interrupted", r.object("GET", run, nil)["status"])
}
