package mask

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Hidden replaces a secret.
const Hidden = "***"

// Mask hides secrets in texts. A nil Mask hides nothing. A Mask may be used by several goroutines.
type Mask struct {
	forms    []string // longest first
	replacer *strings.Replacer
}

// Of returns a mask of these secrets, or nil if there are none. It ignores values and forms of fewer than least bytes, because they may
// be ordinary words, or parts of them.
func Of(least int, secrets ...string) *Mask {
	forms := map[string]bool{}
	for _, secret := range secrets {
		if len(secret) < least {
			continue
		}
		for _, form := range formsOf(secret) {
			if len(form) >= least {
				forms[form] = true
			}
		}
	}
	if len(forms) == 0 {
		return nil
	}
	m := &Mask{forms: slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})}
	pairs := make([]string, 0, 2*len(m.forms))
	for _, form := range m.forms {
		pairs = append(pairs, form, Hidden)
	}
	m.replacer = strings.NewReplacer(pairs...)
	return m
}

// Text returns the text without the secrets.
func (m *Mask) Text(text string) string {
	if m == nil {
		return text
	}
	return m.replacer.Replace(text)
}

// Bytes returns the bytes, which need not be text, without the secrets.
func (m *Mask) Bytes(b []byte) []byte {
	if m == nil || len(b) == 0 {
		return b
	}
	return []byte(m.replacer.Replace(string(b)))
}

// In reports whether a text contains a secret.
func (m *Mask) In(text string) bool { return m != nil && m.replacer.Replace(text) != text }

// begun returns the length of the end of a text that may be the beginning of a secret.
func (m *Mask) begun(text string) int {
	for n := min(len(text), len(m.forms[0])-1); n > 0; n-- {
		end := text[len(text)-n:]
		for _, form := range m.forms {
			if len(form) <= n {
				break // the others are shorter
			}
			if form[0] == end[0] && strings.HasPrefix(form, end) {
				return n
			}
		}
	}
	return 0
}
