// Package programs builds the programs of this module for the tests that run them. All test binaries of a checkout share the
// result. Linking the command takes seconds, so it happens once, not in each package.
package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the main packages at these paths below the root of the module, and returns the directory that holds the programs.
// Each is named after the last element of its path. Programs that are up to date are not linked again.
func Build(packages ...string) (dir string, err error) {
	ctx := context.Background() // several tests wait for the result
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the root of the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(file)))
	dir = filepath.Join(root, "bin", "programs") // .bin may be a link to the tools of another checkout, whose programs are others
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, ".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	args := []string{"build", "-tags=grpcnotrace", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	build := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the packages are those of this module
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", strings.Join(packages, ", "), err, said)
	}
	return dir, nil
}
