package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPersonIsToldOfALongCompilation(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	compile := func(context.Context, string, []byte) error { return failed }
	for _, test := range []struct {
		terminal bool
		size     int
		says     string
	}{
		{true, 12 << 20, "· compiling a plugin of 12 MiB; the result is kept for later starts\n"},
		{true, 1 << 20, ""},
		{false, 12 << 20, ""},
	} {
		var said bytes.Buffer
		a := &app{streams: streams{err: &said, terminal: test.terminal}}
		require.ErrorIs(t, a.telling(compile)(t.Context(), "", make([]byte, test.size)), failed)
		require.Equal(t, test.says, said.String())
	}
}
