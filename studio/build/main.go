// Command build writes the page to dist/, for `make generate`.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/studio/internal/bundle"
)

func main() {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build() error {
	files, err := bundle.Bundle("web")
	if err != nil {
		return err
	}
	if err := os.MkdirAll("dist", 0o750); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join("dist", name), text, 0o644); err != nil { //nolint:gosec // it is committed
			return err
		}
	}
	return nil
}
