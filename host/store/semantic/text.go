package semantic

import (
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/store"
)

// MaxText is the maximum length of a text to embed, in bytes. Models have limits of their own, which are usually lower.
const MaxText = 256 << 10

// texts returns the texts of a value, in the order of the paths; none if the value is not msgpack.
func (s *Store) texts(value []byte) (out []string) {
	if wire.Validate(value, wire.DefaultLimits) != nil {
		return nil
	}
	for _, p := range s.paths {
		p.collect(value, func(text string) {
			if text != "" && len(out) <= store.MaxVectors { // more is refused anyway
				out = append(out, text)
			}
		})
	}
	return out
}

// checkTexts refuses what would be embedded in vain.
func (s *Store) checkTexts(texts []string) error {
	if most := store.MaxVectors / (4*s.dims + 64); len(texts) > max(most, 1) {
		return fmt.Errorf("%w: the fields of the index have more than %d texts; with %d dimensions that is the limit", store.ErrInvalid, max(most, 1), s.dims)
	}
	for _, text := range texts {
		if len(text) > MaxText {
			return fmt.Errorf("%w: a text to embed has %d bytes; the limit is %d; name smaller fields in the index", store.ErrInvalid, len(text), MaxText)
		}
	}
	return nil
}

// collect calls a function with each text that the path leads to.
func (p path) collect(value wire.Raw, add func(string)) {
	if value.IsNil() {
		return
	}
	if len(p) == 0 {
		if text, ok := value.AsString(); ok {
			add(text)
		} else {
			add(value.JSON())
		}
		return
	}
	next := p[1:]
	switch at := p[0]; {
	case at.field != "":
		if value.IsMap() {
			next.collect(value.Get(at.field), add)
		}
	case at.element != nil:
		i := *at.element
		if !value.IsArray() {
			return
		}
		if i < 0 {
			i += value.Len()
		}
		n := 0
		for item := range value.Elements() {
			if n == i {
				next.collect(item, add)
				return
			}
			n++
		}
	case at.several != nil:
		for _, inner := range at.several {
			inner.collect(value, add)
		}
	default: // each or all
		if value.IsArray() {
			for item := range value.Elements() {
				next.collect(item, add)
			}
		}
		if at.all && value.IsMap() {
			for _, item := range value.Pairs() {
				next.collect(item, add)
			}
		}
	}
}
