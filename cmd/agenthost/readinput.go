package main

import (
	"context"
	"io"
)

// readInput reads an input to its end, or up to most bytes. It stops waiting when the context ends, such as by a signal. A read cannot be
// cancelled, so it continues in a goroutine, which ends with the command or when the input does.
func readInput(ctx context.Context, in io.Reader, most int64) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, most))
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
