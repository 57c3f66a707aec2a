package provider

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/mask"
)

// fingerprintKey is random, so that nobody can test from outside of this process which key a fingerprint is from.
var fingerprintKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it never fails
	return key
})

// fingerprint tells credentials apart without revealing them: the key, the credentials in headers that the operator has set, and those in
// the address.
func fingerprint(key string, headers map[string]string, base *url.URL) string {
	sum := hmac.New(sha256.New, fingerprintKey())
	add := func(text string) {
		_, _ = sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		_, _ = sum.Write([]byte(text))
	}
	add(key)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if mask.IsCredential(name) {
			add(strings.ToLower(name))
			add(headers[name])
		}
	}
	add(base.User.String())
	query := base.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if mask.IsCredential(name) {
			add(name)
			add(strings.Join(query[name], "\n"))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
