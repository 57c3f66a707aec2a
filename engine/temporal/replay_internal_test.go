package temporal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// A workflow that is open when a worker is upgraded goes on with the new code, so that must do what the old one did.
func TestHistoriesReplay(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/histories/*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimPrefix(path, "testdata/histories/"), func(t *testing.T) {
			t.Parallel()
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(threadWorkflow, workflow.RegisterOptions{Name: workflowName})
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(sdkLogger(nil), path))
		})
	}
}
