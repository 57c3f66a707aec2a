package semantic

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/agenthost/agenthost/abi/wire"
)

// normal returns a vector of the same direction with the length 1, so that the cosine of two is their product. The zero vector stays as it
// is, and is similar to nothing.
func normal(v []float32) ([]float32, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("a vector with a number that is not finite")
	}
	out := make([]float32, len(v))
	if sum == 0 {
		return out, nil
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, nil
}

// encode returns vectors as a store keeps them: a list of the model's name and of each vector, as the bytes of its numbers.
func encode(name string, vectors [][]float32) []byte {
	out := wire.AppendString(wire.AppendArrayHeader(nil, 1+len(vectors)), name)
	for _, v := range vectors {
		b := make([]byte, 0, 4*len(v))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		out = wire.AppendBin(out, b)
	}
	return out
}

// best returns the similarity of a query with the nearest one of an entry's vectors, and whether these are of the same model and have as
// many dimensions.
func best(query []float32, name string, kept wire.Raw) (score float64, ok bool) {
	if len(kept) == 0 || wire.Validate(kept, wire.DefaultLimits) != nil {
		return 0, false
	}
	first := true
	score = -1
	for item := range kept.Elements() {
		if first {
			if by, _ := item.AsString(); by != name {
				return 0, false
			}
			first = false
			continue
		}
		b, isBytes := item.AsBytes()
		if !isBytes || len(b) != 4*len(query) {
			return 0, false
		}
		var product float64
		for i, x := range query {
			product += float64(x) * float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		if math.IsNaN(product) {
			return 0, false
		}
		score, ok = max(score, min(product, 1)), true
	}
	return score, ok
}
