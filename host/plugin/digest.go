package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// DigestError is a module that is not the one that was wanted.
type DigestError struct{ Want, Got string } // SHA-256, in hexadecimal

func (e *DigestError) Error() string {
	return fmt.Sprintf("the module has the sha256 %s, and %s is wanted: it was changed, or is of another version", e.Got, e.Want)
}

// checkDigest compares the bytes that will be compiled with the digest that the operator wants; "" is any.
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
