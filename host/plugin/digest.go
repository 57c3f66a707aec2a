package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// DigestError reports a module whose digest is not the expected one.
type DigestError struct{ Want, Got string } // SHA-256, in hexadecimal

func (e *DigestError) Error() string {
	return fmt.Sprintf("the module has the sha256 %s, and %s is wanted: it was changed, or is of another version", e.Got, e.Want)
}

// checkDigest compares the digest of the bytes to be compiled with the one that the operator expects; "" accepts any.
func checkDigest(code []byte, want string) error {
	if want == "" {
		return nil
	}
	sum := sha256.Sum256(code)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, want) {
		return &DigestError{Want: want, Got: got}
	}
	return nil
}

// ErrSignature reports a module that none of the expected keys has signed.
var ErrSignature = errors.New("it has no valid signature")

// SignatureSuffix is what minisign appends to the name of a file to name its signature.
const SignatureSuffix = minisig.Suffix

// ParseKey checks a minisign public key: the line that begins with RW.
func ParseKey(key string) error {
	_, err := minisig.ParseKey(key)
	return err
}

// checkSignature returns the one of the keys that has signed the bytes to be compiled; without keys, any module passes.
func (w Wasm) checkSignature(code []byte) (signer string, err error) {
	if len(w.Minisign) == 0 {
		return "", nil
	}
	keys, err := minisig.ParseKeys(w.Minisign)
	if err != nil {
		return "", err
	}
	signature := w.Signature
	if signature == nil {
		if signature, err = readSignature(w.Path + SignatureSuffix); err != nil {
			return "", err
		}
	}
	signed, ok := minisig.Verify(code, signature, keys...)
	if !ok {
		return "", fmt.Errorf("%w of the wanted keys: it was changed, or is signed by someone else", ErrSignature)
	}
	return signed.By.String(), nil
}

func readSignature(path string) ([]byte, error) {
	signature, err := regularfile.Read(path, minisig.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return signature, nil
}
