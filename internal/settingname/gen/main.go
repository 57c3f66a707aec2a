// Gen writes the table of foreign names into docs/models.md. It runs in internal/settingname.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/settingname"
)

func main() {
	if err := run(filepath.FromSlash("../../docs/models.md")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	text, err := regularfile.Read(file, 1<<20)
	if err != nil {
		return err
	}
	document, err := settingname.Document(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(document), 0o644) //nolint:gosec // a document
}
