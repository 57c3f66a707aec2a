package reference_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference"
)

// vectorsVariable names a directory with additional vectors to run.
const vectorsVariable = "AGENTHOST_VECTORS"

// The directories of the vectors that come with the project.
const (
	vectors    = "testdata/vectors"
	recorded   = "testdata/recorded"
	deviations = "testdata/deviations"
	features   = "testdata/features"
)

// TestVectors runs every vector of testdata/vectors, and of the directory that AGENTHOST_VECTORS names, as its own
// test. A vector with probes runs in every flavor.
func TestVectors(t *testing.T) {
	t.Parallel()
	runFiles(t, vectors)
	if dir := os.Getenv(vectorsVariable); dir != "" {
		runFiles(t, located(dir))
	}
}

// TestRecorded runs vectors that were recorded from LangChain 1.4.7 during a comparison with this host on random agents: a
// sample of those agents, and a small vector for each difference that was found. Those whose names begin with async_ come from the
// middleware of deepagents 0.7.32 with a scripted client; news are from its asynchronous path.
func TestRecorded(t *testing.T) {
	t.Parallel()
	runFiles(t, recorded)
}

// TestFeatures runs our own vectors for features of the format that the recorded vectors do not use.
func TestFeatures(t *testing.T) {
	t.Parallel()
	runFiles(t, features)
}

// located finds a directory relative to the test's working directory, or to the module's root.
func located(dir string) string {
	if _, err := os.Stat(dir); err != nil && !filepath.IsAbs(dir) {
		return filepath.Join("..", "..", dir)
	}
	return dir
}

// file is the content of a vector's file.
type file struct {
	name   string
	vector *reference.Vector
	err    error
}

func readDirectory(dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		f := file{name: strings.TrimSuffix(filepath.ToSlash(name), ".json")}
		f.vector, f.err = reference.ReadFile(path)
		files = append(files, f)
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there are no vectors in %s", dir)
	}
	return files, err
}

// allFiles reads the files of all directories.
func allFiles() ([]file, error) {
	dirs := []string{vectors, recorded, deviations, features}
	if dir := os.Getenv(vectorsVariable); dir != "" {
		dirs = append(dirs, located(dir))
	}
	var all []file
	for _, dir := range dirs {
		files, err := readDirectory(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

func runFiles(t *testing.T, dir string) {
	t.Helper()
	files, err := readDirectory(dir)
	require.NoError(t, err)
	flavors, err := allFlavors()
	require.NoError(t, err)
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, f.err)
			if reason := instead(t, f.vector.SkipIfDeviating); reason != "" {
				t.Skip(reason)
			}
			if f.vector.Agent.Checkpointer && !raceDetector { // the databases have their own race tests
				runStores(t, f.vector)
			}
			if !f.vector.UsesProbe() {
				runVector(t, f.vector, flavors[0])
				return
			}
			for _, flavor := range flavors {
				t.Run(flavor.Name, func(t *testing.T) {
					t.Parallel()
					runVector(t, f.vector, flavor)
				})
			}
		})
	}
}

// runVector builds the agent once and performs the runs in order. It stops at the first run that differs, because later
// runs then say little.
func runVector(t *testing.T, v *reference.Vector, flavor reference.Flavor, adjust ...func(*host.Config)) {
	t.Helper()
	subject, err := v.Build(flavor, adjust...)
	if err != nil {
		report(t, 0, reference.Compare(v.Expect[0], reference.Refused(err)))
		return
	}
	defer func() { require.NoError(t, subject.Close()) }()
	require.False(t, v.Expect[0].Refused(), "the agent must be refused, but was built")
	for i := range v.Runs {
		report(t, i, reference.Compare(v.Expect[i], subject.Perform(t.Context(), &v.Runs[i])))
		require.True(t, subject.Overlapped(), "run %d: tools of one batch did not work side by side", i+1)
	}
}

func report(t *testing.T, run int, differences []string) {
	t.Helper()
	if len(differences) > 0 {
		t.Fatalf("run %d differs:\n%s", run+1, strings.Join(differences, "\n"))
	}
}
