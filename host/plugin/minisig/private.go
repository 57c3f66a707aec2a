package minisig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"aead.dev/minisign"
)

// PrivateKey signs. The zero value is of no use.
type PrivateKey struct{ key minisign.PrivateKey }

// Generate makes a new key.
func Generate() (PrivateKey, error) {
	_, key, err := minisign.GenerateKey(nil)
	return PrivateKey{key}, err
}

// Public returns the public key.
func (k PrivateKey) Public() Key {
	key, _ := k.key.Public().(minisign.PublicKey) // it is one
	return Key{key}
}

// Files returns the contents of the key's two files, which minisign reads, too. The private one is encrypted with the password; without
// one, whoever can read it can sign.
func (k PrivateKey) Files(password string) (private, public []byte, err error) {
	if password == "" {
		private, err = k.key.MarshalText()
	} else {
		private, err = minisign.EncryptKey(password, k.key)
	}
	if err != nil {
		return nil, nil, err
	}
	line := k.Public()
	return append(private, '\n'), fmt.Appendf(nil, "untrusted comment: minisign public key %s\n%s\n", line.ID(), line), nil
}

// IsEncrypted reports whether a private key's file needs a password.
func IsEncrypted(file []byte) bool { return minisign.IsEncrypted(trimmed(file)) }

// ErrPassword means that a password does not decrypt a private key.
var ErrPassword = errors.New("the password is wrong, or the file is damaged")

// ReadPrivateKey reads a private key's file. The password is only used if the file is encrypted.
func ReadPrivateKey(file []byte, password string) (k PrivateKey, err error) {
	file = trimmed(file)
	if !minisign.IsEncrypted(file) {
		if err := k.key.UnmarshalText(file); err != nil {
			return k, errors.New("it is not a private key of minisign; name the file that ends in .key")
		}
		return k, nil
	}
	if k.key, err = minisign.DecryptKey(password, file); err != nil {
		return k, ErrPassword
	}
	return k, nil
}

// trimmed removes the line break at the end of a file, which the library would not read.
func trimmed(file []byte) []byte { return bytes.TrimSpace(file) }

// Sign signs a content together with a comment of one line.
func (k PrivateKey) Sign(content []byte, comment string) ([]byte, error) {
	if strings.ContainsAny(comment, "\r\n") {
		return nil, errors.New("minisign: the comment of a signature must be one line")
	}
	hashed := minisign.NewReader(bytes.NewReader(content)) // minisign's own default, which does not keep the content in memory
	if _, err := io.Copy(io.Discard, hashed); err != nil {
		return nil, err
	}
	return hashed.SignWithComments(k.key, comment, "signature from key "+k.Public().ID()), nil
}
