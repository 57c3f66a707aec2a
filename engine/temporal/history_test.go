package temporal_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	history "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/agenthost/agenthost/runs"
)

var update = flag.Bool("update", false, "write the histories of the unreleased version")

var identity = regexp.MustCompile(`"identity": "[^"]*"`)

// keep writes the history of a thread's last workflow, if the test is told to. TestHistoriesReplay replays it from then on.
func (f *fleet) keep(thread, name string) {
	f.t.Helper()
	if !*update {
		return
	}
	var all history.History
	events := f.client.GetWorkflowHistory(f.t.Context(), f.config.Queue+"/"+runs.ThreadName("ann", thread), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(f.t, err)
		all.Events = append(all.Events, event)
	}
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(&all)
	require.NoError(f.t, err)
	text = identity.ReplaceAll(text, []byte(`"identity": "worker"`)) // not the name of a machine
	path := filepath.Join("testdata", "histories", "v0.1", name+".json")
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(f.t, os.WriteFile(path, append(text, '\n'), 0o600))
}
