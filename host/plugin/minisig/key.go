package minisig

import (
	"fmt"

	"aead.dev/minisign"

	"github.com/agenthost/agenthost/internal/text"
)

const (
	// Suffix is what minisign appends to the name of a file to name its signature.
	Suffix = ".minisig"
	// MaxSize is the size of the largest signature, in bytes.
	MaxSize = 16 << 10
)

// Key is a public key.
type Key struct{ key minisign.PublicKey }

// ParseKey reads a public key: the line of its file that begins with RW.
func ParseKey(line string) (Key, error) {
	var k Key
	if err := k.key.UnmarshalText([]byte(line)); err != nil {
		return k, fmt.Errorf("minisign: %q is not a public key; give the line that begins with RW, which is the last one of the author's .pub file",
			text.Cut(text.Clean(line), 80))
	}
	return k, nil
}

// ParseKeys reads several public keys.
func ParseKeys(lines []string) ([]Key, error) {
	keys := make([]Key, len(lines))
	for i, line := range lines {
		var err error
		if keys[i], err = ParseKey(line); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// String returns the line of the key that begins with RW.
func (k Key) String() string { return k.key.String() }

// ID returns the number of the key, in 16 hexadecimal digits.
func (k Key) ID() string { return fmt.Sprintf("%016X", k.key.ID()) }

// Signed is a signature that one of the expected keys has made.
type Signed struct {
	By      Key
	Comment string // the trusted comment, which the signature covers, too; its author wrote it
}

// Verify returns who signed the content, if that is one of the keys.
func Verify(content, signature []byte, keys ...Key) (Signed, bool) {
	var parsed minisign.Signature
	if len(signature) > MaxSize || parsed.UnmarshalText(signature) != nil {
		return Signed{}, false
	}
	for _, k := range keys {
		if minisign.Verify(k.key, content, signature) {
			return Signed{k, parsed.TrustedComment}, true
		}
	}
	return Signed{}, false
}
