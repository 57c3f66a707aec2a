package wire

// MaxValueDepth is how deeply arrays and maps may nest in a value that comes from a model or a caller. It leaves room for a guest
// to put any such value into a document of its own, whose depth is limited to that of [DefaultLimits].
const MaxValueDepth = 48

// maxTracked is the depth up to which DeeperThan counts.
const maxTracked = 64

// DeeperThan reports whether arrays and maps nest deeper than most in a well-formed document; most is at most 64. A scalar has the
// depth 0. DeeperThan does not allocate, and it does not look into a document that is too short to nest so deeply. It returns false
// for a document that is not well formed.
func DeeperThan(b []byte, most int) bool {
	if len(b) <= most { // each level takes a byte
		return false
	}
	var left [maxTracked]int32 // values still to come in each open array or map; TinyGo would put a larger variable on the heap
	depth := 0
	for at := 0; at < len(b); {
		t, err := readToken(b, at)
		if err != nil {
			return false
		}
		at += t.size
		inside := 0
		switch t.kind {
		case kindString, kindBin:
			at += t.count
		case kindArray:
			inside = t.count
		case kindMap:
			inside = 2 * t.count
		default:
		}
		if t.kind == kindArray || t.kind == kindMap {
			depth++
			if depth > min(most, maxTracked) {
				return true
			}
			left[depth-1] = int32(inside) + 1
		}
		for depth > 0 {
			left[depth-1]--
			if left[depth-1] > 0 {
				break
			}
			depth--
		}
	}
	return false
}
