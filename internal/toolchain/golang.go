package toolchain

import "context"

// golang builds with the go command.
func (b *Build) golang(ctx context.Context) error {
	path, err := find("go")
	if err != nil {
		return &MissingError{Go, "the go command", "Install Go " + MinGo + " or later from https://go.dev/dl and put it on PATH."}
	}
	t := &tool{path: path, args: []string{"build", "-trimpath", "-buildmode=c-shared"}, environment: []string{"GOOS=wasip1", "GOARCH=wasm"}}
	if !b.Debug {
		t.args = append(t.args, "-ldflags=-s -w")
	}
	t.args = append(t.args, "-o", b.Output, ".")
	return b.do(ctx, t)
}
