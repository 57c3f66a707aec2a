package toolchain

import (
	"context"
	"io"
)

// Tidy completes the go.mod and go.sum of a new project in Go. The errors are those of [Build.Run].
func Tidy(ctx context.Context, dir string, log io.Writer) error {
	path, err := find("go")
	if err != nil {
		return &MissingError{Go, "the go command", "Install Go " + MinGo + " or later from https://go.dev/dl, put it on PATH and run go mod tidy."}
	}
	b := &Build{Dir: dir, Log: log}
	return b.do(ctx, &tool{path: path, args: []string{"mod", "tidy"}})
}
