package followed_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/followed"
)

func TestAValueFollowsItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	at := time.Unix(1_700_000_000, 0)
	write := func(path, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		at = at.Add(time.Second) // file systems may count in whole seconds
		require.NoError(t, os.Chtimes(path, at, at))
	}
	reads := 0
	read := func() (string, error) {
		reads++
		x, err := os.ReadFile(a)
		if err != nil {
			return "", err
		}
		y, err := os.ReadFile(b)
		if err == nil && x[0] != y[0] {
			err = errors.New("they do not fit")
		}
		return string(x), err
	}
	write(a, "1")
	_, err := followed.New(read, a, b)
	require.ErrorIs(t, err, os.ErrNotExist)
	write(b, "2")
	_, err = followed.New(read, a, b)
	require.EqualError(t, err, "they do not fit")
	write(b, "1")
	v, err := followed.New(read, a, b)
	require.NoError(t, err)
	reads = 0
	require.Equal(t, []string{"1", "1"}, []string{v.Get(), v.Get()})
	require.Zero(t, reads, "nothing has changed")
	write(a, "3")
	require.Equal(t, "1", v.Get(), "the other file is not renewed yet")
	write(b, "3")
	require.Equal(t, "3", v.Get())
	require.NoError(t, os.Remove(a))
	require.Equal(t, "3", v.Get())
	write(a, "3x")
	require.Equal(t, "3x", v.Get())
}
