package pii

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// shown is how many characters of a value a mask leaves readable.
const shown = 4

// replacement returns the text that replaces a value.
func (r *Rule) replacement(kind, value string) string {
	switch r.strategy {
	case Mask:
		return masked(kind, value)
	case Hash:
		sum := sha256.Sum256([]byte(value))
		return "<" + kind + "_hash:" + hex.EncodeToString(sum[:4]) + ">"
	case Redact, Block:
	}
	return "[REDACTED_" + strings.ToUpper(kind) + "]"
}

func masked(kind, value string) string {
	switch kind {
	case Email:
		return maskedEmail(value)
	case CreditCard:
		return maskedCard(value)
	case IP:
		if strings.Count(value, ".") == 3 && !strings.Contains(value, ":") {
			return "*.*.*" + value[strings.LastIndexByte(value, '.'):]
		}
		return "****"
	case MACAddress:
		separator := "-"
		if strings.Contains(value, ":") {
			separator = ":"
		}
		return strings.Repeat("**"+separator, 5) + last(value, 2)
	case URL:
		return "[MASKED_URL]"
	default:
		if utf8.RuneCountInString(value) <= shown {
			return "****"
		}
		return "****" + last(value, shown)
	}
}

func maskedEmail(value string) string {
	user, domain, ok := strings.Cut(value, "@")
	if !ok || strings.Contains(domain, "@") {
		return "****"
	}
	if i := strings.LastIndexByte(domain, '.'); i >= 0 {
		return user + "@****" + domain[i:]
	}
	return user + "@****"
}

func maskedCard(value string) string {
	separator := ""
	switch {
	case strings.Contains(value, "-"):
		separator = "-"
	case strings.Contains(value, " "):
		separator = " "
	}
	digits := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return c
		}
		return -1
	}, value)
	return strings.Repeat("****"+separator, 3) + last(digits, shown)
}

// last returns the last n characters of a text.
func last(text string, n int) string {
	at := len(text)
	for range n {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
}
