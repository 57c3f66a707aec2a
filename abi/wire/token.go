package wire

import "math"

// kind is the kind of the next token of a msgpack document.
type kind uint8

const (
	kindNil kind = iota
	kindBool
	kindUint  // an integer ≥ 0, value in token.bits
	kindInt   // an integer < 0, value in token.bits as two's complement
	kindFloat // token.bits holds a float64, or with token.size 5 a float32
	kindString
	kindBin
	kindArray
	kindMap
)

// token is one msgpack head. For strings and bins the payload follows the head; for arrays and maps the elements do.
type token struct {
	kind     kind
	shortest bool   // the head is the shortest that can express it
	size     int    // bytes of the head; for a scalar, of the whole value
	count    int    // bytes of a string or bin; elements of an array; pairs of a map
	bits     uint64 // the value of a number; 1 for true
}

// readToken reads the head at b[at:]. It checks that the head is complete, but not the payload.
func readToken(b []byte, at int) (token, error) {
	if at >= len(b) {
		return token{}, errorAt(at, "the document ends where a value is expected")
	}
	c := b[at]
	switch {
	case c <= 0x7f:
		return token{kind: kindUint, shortest: true, size: 1, bits: uint64(c)}, nil
	case c >= 0xe0:
		return token{kind: kindInt, shortest: true, size: 1, bits: uint64(int64(int8(c)))}, nil
	case c <= 0x8f:
		return token{kind: kindMap, shortest: true, size: 1, count: int(c & 0x0f)}, nil
	case c <= 0x9f:
		return token{kind: kindArray, shortest: true, size: 1, count: int(c & 0x0f)}, nil
	case c <= 0xbf:
		return token{kind: kindString, shortest: true, size: 1, count: int(c & 0x1f)}, nil
	}
	return readLongToken(b, at)
}

// longHead describes one of the heads 0xc0 to 0xdf.
type longHead struct {
	kind    kind
	width   int8  // bytes after the first one; -1: the head is refused
	shorter int64 // the largest count or number that a shorter head of the family can hold; -1: none is shorter
}

var longHeads = [32]longHead{
	0x00: {kindNil, 0, -1}, 0x01: {width: -1}, 0x02: {kindBool, 0, -1}, 0x03: {kindBool, 0, -1},
	0x04: {kindBin, 1, -1}, 0x05: {kindBin, 2, math.MaxUint8}, 0x06: {kindBin, 4, math.MaxUint16},
	0x07: {width: -1}, 0x08: {width: -1}, 0x09: {width: -1},
	0x0a: {kindFloat, 4, -1}, 0x0b: {kindFloat, 8, -1},
	0x0c: {kindUint, 1, math.MaxInt8}, 0x0d: {kindUint, 2, math.MaxUint8},
	0x0e: {kindUint, 4, math.MaxUint16}, 0x0f: {kindUint, 8, math.MaxUint32},
	0x10: {kindInt, 1, -1}, 0x11: {kindInt, 2, -1}, 0x12: {kindInt, 4, -1}, 0x13: {kindInt, 8, -1},
	0x14: {width: -1}, 0x15: {width: -1}, 0x16: {width: -1}, 0x17: {width: -1}, 0x18: {width: -1},
	0x19: {kindString, 1, 31}, 0x1a: {kindString, 2, math.MaxUint8}, 0x1b: {kindString, 4, math.MaxUint16},
	0x1c: {kindArray, 2, 15}, 0x1d: {kindArray, 4, math.MaxUint16},
	0x1e: {kindMap, 2, 15}, 0x1f: {kindMap, 4, math.MaxUint16},
}

// readLongToken reads the heads 0xc0 to 0xdf.
func readLongToken(b []byte, at int) (token, error) {
	c := b[at]
	head := &longHeads[c-0xc0]
	if head.width < 0 {
		if c == 0xc1 {
			return token{}, errorAt(at, "0xc1 is not a msgpack type")
		}
		return token{}, errorAt(at, "extension types are not allowed")
	}
	width := int(head.width)
	if len(b)-at-1 < width {
		return token{}, errorAt(at, "the document ends inside a value")
	}
	var n uint64
	for _, x := range b[at+1 : at+1+width] {
		n = n<<8 | uint64(x)
	}
	t := token{kind: head.kind, size: 1 + width, bits: n}
	t.shortest = head.shorter < 0 || n > uint64(head.shorter)
	switch head.kind {
	case kindBool:
		t.bits = uint64(c & 1)
	case kindFloat:
		return t, checkFloat(t, at)
	case kindInt:
		shift := 64 - 8*uint(width)
		return signedToken(t, int64(n<<shift)>>shift), nil
	case kindString, kindBin, kindArray, kindMap:
		if n > uint64(len(b)) { // also keeps the conversion to int safe in a 32-bit guest
			return token{}, errorAt(at, "the value claims more elements than the document has bytes")
		}
		t.count = int(n)
	default: // the number is the value
	}
	return t, nil
}

// signedToken completes the token of a head 0xd0 to 0xd3. A number ≥ 0 belongs to the unsigned heads, and a negative
// one is in its shortest form if the next shorter head cannot hold it.
func signedToken(t token, v int64) token {
	t.bits = uint64(v)
	if v >= 0 {
		t.kind, t.shortest = kindUint, false
		return t
	}
	switch t.size {
	case 2:
		t.shortest = v < -32
	case 3:
		t.shortest = v < math.MinInt8
	case 5:
		t.shortest = v < math.MinInt16
	default:
		t.shortest = v < math.MinInt32
	}
	return t
}

// checkFloat refuses floats that JSON cannot express.
func checkFloat(t token, at int) error {
	if f := t.float(); math.IsNaN(f) || math.IsInf(f, 0) {
		return errorAt(at, "NaN and infinities are not allowed")
	}
	return nil
}

func (t token) float() float64 {
	if t.size == 5 {
		return float64(math.Float32frombits(uint32(t.bits)))
	}
	return math.Float64frombits(t.bits)
}
