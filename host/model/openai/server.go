package openai

import (
	"crypto/sha256"
	"encoding/hex"
)

// metaServer is the key in the Meta of an answer for the server that gave it, where the provider's name does not say that.
const metaServer = "openai_server"

// server identifies the server of a model that is named after OpenAI, as any compatible server may be; "" for another name, which
// stands for one service, whatever its address is. It is a hash, so that a thread does not tell addresses.
func (m *Model) server() string {
	if m.provider() != Provider {
		return ""
	}
	sum := sha256.Sum256([]byte(m.endpoint.Origin()))
	return hex.EncodeToString(sum[:8])
}
