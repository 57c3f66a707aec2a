package sha256_test

import (
	std "crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/plugins/internal/sha256"
)

func TestSumOfEveryLength(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		text := strings.Repeat("aä", n)[:n]
		h := sha256.New()
		h.Write([]byte(text))
		require.Equal(t, std.Sum256([]byte(text)), h.Sum(), "%d bytes", n)
	}
}

func TestSumOfPieces(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 50)
	want := std.Sum256([]byte(text))
	for size := 1; size < 200; size++ {
		h := sha256.New()
		for rest := text; rest != ""; {
			piece := rest[:min(size, len(rest))]
			h.Write([]byte(piece))
			rest = rest[len(piece):]
		}
		require.Equal(t, want, h.Sum(), "in pieces of %d bytes", size)
	}
}
