// Package sha256 is SHA-256 (FIPS 180-4) for plugins. It is here because the standard library's comes with self-tests and
// configuration that add 75 KB to a plugin, and because plugins only label values with it.
package sha256

import "math/bits"

// Size is the length of a sum, in bytes.
const Size = 32

// Hash is the sum of what was written to it. The zero value is not usable; see [New].
type Hash struct {
	state  [8]uint32
	block  [64]byte // what does not make a whole block yet
	length uint64   // of all that was written, in bytes
}

// New returns the hash of nothing.
func New() *Hash {
	return &Hash{state: [8]uint32{
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	}}
}

// Write adds bytes.
func (h *Hash) Write(p []byte) {
	used := int(h.length % uint64(len(h.block)))
	h.length += uint64(len(p))
	for len(p) > 0 {
		n := copy(h.block[used:], p)
		p, used = p[n:], used+n
		if used == len(h.block) {
			sumBlock(&h.state, &h.block)
			used = 0
		}
	}
}

// Sum ends the hash: nothing may be written any more.
func (h *Hash) Sum() (sum [Size]byte) {
	used := int(h.length % uint64(len(h.block)))
	h.block[used] = 0x80
	clear(h.block[used+1:])
	if used >= 56 {
		sumBlock(&h.state, &h.block)
		clear(h.block[:])
	}
	for i := range 8 {
		h.block[56+i] = byte(h.length * 8 >> (56 - 8*i))
	}
	sumBlock(&h.state, &h.block)
	for i, word := range h.state {
		sum[4*i] = byte(word >> 24)
		sum[4*i+1] = byte(word >> 16)
		sum[4*i+2] = byte(word >> 8)
		sum[4*i+3] = byte(word)
	}
	return sum
}

// Hex returns the sum of a text in hexadecimal digits.
func Hex(text string) string {
	h := New()
	h.Write([]byte(text))
	sum := h.Sum()
	digits := make([]byte, 0, 2*Size)
	for _, b := range sum {
		digits = append(digits, "0123456789abcdef"[b>>4], "0123456789abcdef"[b&15])
	}
	return string(digits)
}

func sumBlock(state *[8]uint32, block *[64]byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = uint32(block[4*i])<<24 | uint32(block[4*i+1])<<16 | uint32(block[4*i+2])<<8 | uint32(block[4*i+3])
	}
	for i := 16; i < 64; i++ {
		s0 := bits.RotateLeft32(w[i-15], -7) ^ bits.RotateLeft32(w[i-15], -18) ^ w[i-15]>>3
		s1 := bits.RotateLeft32(w[i-2], -17) ^ bits.RotateLeft32(w[i-2], -19) ^ w[i-2]>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	a, b, c, d, e, f, g, h := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
	for i := range 64 {
		s1 := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
		t1 := h + s1 + (e&f ^ ^e&g) + sha256K[i] + w[i]
		s0 := bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
		t2 := s0 + (a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, h = t1+t2, a, b, c, d+t1, e, f, g
	}
	for i, v := range [8]uint32{a, b, c, d, e, f, g, h} {
		state[i] += v
	}
}

var sha256K = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
