package sha256_test

import (
	std "crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/sdk/go/sha256"
)

func TestSumOfEveryLength(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		text := strings.Repeat("aä", n)[:n]
		h := sha256.New()
		h.Write([]byte(text))
		want := std.Sum256([]byte(text))
		require.Equal(t, want, h.Sum(), "%d bytes", n)
		require.Equal(t, hex.EncodeToString(want[:]), sha256.Hex(text))
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
