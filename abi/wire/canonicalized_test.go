package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestCanonicalized(t *testing.T) {
	t.Parallel()
	unsorted := unhex(t, "82 a1 62 01 a1 61 cd 0002") // {"b":1,"a":2}, with a long form
	sorted := unhex(t, "82 a1 61 02 a1 62 01")
	require.Equal(t, sorted, wire.Canonicalized(unsorted))
	require.Equal(t, sorted, wire.Canonicalized(sorted))
	require.Same(t, &sorted[0], &wire.Canonicalized(sorted)[0], "nothing is copied")
	malformed := unhex(t, "82 a1")
	require.Equal(t, malformed, wire.Canonicalized(malformed))
	deep := append(make([]byte, 0, 201), unhex(t, "82 a1 62 01 a1 61")...)
	for range 200 {
		deep = append(deep, 0x91)
	}
	deep = append(deep, 0xc0)
	require.Equal(t, byte(0xa1), wire.Canonicalized(deep)[1])
	require.Equal(t, byte('a'), wire.Canonicalized(deep)[2], "a value of the host may nest deeper than one of a guest")
}
