package meter

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpecTellsTheCosts compares the cost table of SPEC.md with the one that the meter charges.
func TestSpecTellsTheCosts(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../abi/SPEC.md")
	require.NoError(t, err)
	spec := strings.Join(strings.Fields(string(raw)), " ")
	for _, says := range []string{
		fmt.Sprintf("This is cost table version %d;", Version),
		fmt.Sprintf("| entering a function | %d, and 1 for every %d parameters", costEntry, slotsPerOne),
		fmt.Sprintf("| `call` of a function of the guest | %d |", costCall+1),
		fmt.Sprintf("| `call` of an import | %d |", costImport+1),
		fmt.Sprintf("| `call_indirect`, of an import too | %d |", costVia+1),
		fmt.Sprintf("also of vectors | %d |", costDivide),
		fmt.Sprintf("| `memory.grow` | %d |", costGrow),
		fmt.Sprintf("`table.fill` | %d |", costBulk),
		fmt.Sprintf("a cost of more than %d would otherwise follow uncharged", window),
		fmt.Sprintf("one unit for every %d bytes", 1<<bytesShift),
		"or 4,096 for each page",
	} {
		require.Contains(t, spec, says)
	}
	require.Equal(t, 4096, 1<<pageShift)
	require.EqualValues(t, 1, price(8))
	require.EqualValues(t, 2, price(9))
}
