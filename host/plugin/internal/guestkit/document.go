package guestkit

import "github.com/agenthost/agenthost/abi/wire"

// Document encodes one of abi's documents.
func Document(d interface {
	MarshalMsg(b []byte) ([]byte, error)
},
) []byte {
	b, err := d.MarshalMsg(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// MapOf encodes a document that abi's types cannot express.
func MapOf(values map[string]any) []byte {
	b, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return b
}
