package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

func (a *app) diagnosticsCommand() *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "diagnostics [flags]",
		Short: "Write a file that helps with a bug report, without secrets",
		Long: `Write a zip file for a bug report. It holds the version, what 'agenthost doctor' finds, the resolved values of
the manifest as 'agenthost config show' lists them, what 'agenthost plugin inspect' shows of its plugins, and
the names of environment variables, without their values.

It holds no conversations and no secrets: the values of variables and of keys that are named like a secret are
shown as ***, unless they have fewer than 6 bytes: then the command names the variables. Texts of the
manifest, such as prompts, and the arguments of commands are left out, and your home directory is ~.
Nothing is sent anywhere. Look at the file before you publish it.

The file is written even if the manifest has an error. An existing file is never overwritten.`,
		Example: `  agenthost diagnostics
  agenthost diagnostics -o report.zip`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if path == "" {
				path = "agenthost-diagnostics-" + time.Now().Format("20060102-150405") + ".zip"
			}
			return a.writeDiagnostics(c.Context(), path)
		},
	}
	a.manifestFlags(c)
	c.Flags().StringVarP(&path, "output", "o", "", "write to this new `FILE`; default: agenthost-diagnostics-DATE-TIME.zip")
	_ = c.MarkFlagFilename("output", "zip") // the flag exists
	return c
}

// writeDiagnostics writes a zip file of what helps with a bug report.
func (a *app) writeDiagnostics(ctx context.Context, path string) error {
	files, err := a.diagnose(ctx)
	if err != nil {
		return err
	}
	content, err := zipped(files, time.Now())
	if err == nil {
		err = writeNew(path, content)
	}
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("diagnostics: %w", err)}
	}
	if _, err := fmt.Fprintf(a.out, "wrote %s; look at it before you publish it\n", terminal.Line(path)); err != nil {
		return &exitError{exitFailed, err}
	}
	if short := a.watch.short(); len(short) > 0 {
		fmt.Fprintf(a.err, "· the values of %s have fewer than %d bytes and are not hidden, since they may be ordinary words: look for them in the file\n",
			terminal.Line(strings.Join(short, ", ")), minSecret)
	}
	return nil
}

// writeNew writes a file that does not exist yet and that only its owner can read.
func writeNew(path string, content []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; name another file with -o FILE", path)
	}
	if err != nil {
		return fmt.Errorf("%w; name another file with -o FILE", regularfile.Uncreatable(path, err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(content)
	return err
}

// diagnosticFile is a file of the zip file.
type diagnosticFile struct{ name, content string }

// maxDiagnostic is the size of the largest file of the zip file, in bytes; what is longer is cut.
const maxDiagnostic = 1 << 20

func zipped(files []diagnosticFile, now time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range files {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: now})
		if err != nil {
			return nil, err
		}
		content := text.Head(file.content, maxDiagnostic)
		if len(content) < len(file.content) {
			content += "\n…\n"
		}
		if _, err := w.Write([]byte(content)); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// atHome replaces the user's home directory by ~ in a text.
func atHome(content string) string {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < 2 {
		return content
	}
	return strings.ReplaceAll(content, home, "~")
}
