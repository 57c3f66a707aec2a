package strictyaml

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/mask"
)

// shortSecret is the length in bytes below which a value is removed from a message only where it is a whole word: a variable with the
// value "1" must not turn every 10 into ${N}0.
const shortSecret = 4

// secrets holds the values of variables, and the secrets that are written in the document itself. A message of other code about a
// document passes through hide.
type secrets struct {
	values []secret
}

type secret struct{ value, name string }

// add remembers a value in the forms in which an error may show it. The name of a variable wins over that of a literal secret.
func (s *secrets) add(value, name string) {
	if slices.Contains(s.values, secret{value, name}) {
		return
	}
	quoted := strconv.Quote(value)
	for _, form := range []string{
		value, strings.TrimSpace(value), quoted[1 : len(quoted)-1], url.QueryEscape(value), url.PathEscape(value),
	} {
		if form == "" {
			continue
		}
		switch at := slices.IndexFunc(s.values, func(known secret) bool { return known.value == form }); {
		case at < 0:
			s.values = append(s.values, secret{form, name})
		case s.values[at].name == mask.Hidden:
			s.values[at].name = name
		}
	}
	// longer values come first, because they may contain shorter ones
	slices.SortStableFunc(s.values, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
}

// hide replaces every value by the name of its variable. It does not look for values in the names that it has put in.
func (s *secrets) hide(message string) string {
	if s == nil {
		return message
	}
	var pairs []string
	for _, secret := range s.values {
		if len(secret.value) >= shortSecret {
			pairs = append(pairs, secret.value, secret.name)
		}
	}
	message = strings.NewReplacer(pairs...).Replace(message)
	for _, secret := range s.values {
		if len(secret.value) < shortSecret {
			message = replaceWord(message, secret.value, secret.name)
		}
	}
	return message
}

func replaceWord(text, word, with string) string {
	var out strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			out.WriteString(text[from:])
			return out.String()
		}
		i += from
		previous, _ := utf8.DecodeLastRuneInString(text[:i])
		next, _ := utf8.DecodeRuneInString(text[i+len(word):])
		out.WriteString(text[from:i])
		if isWordRune(previous) || isWordRune(next) {
			out.WriteString(word)
		} else {
			out.WriteString(with)
		}
		from = i + len(word)
	}
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
