package scan

// appendMasked appends the mask of value. Rest is the text after it: the visible part of a mask must not form a new
// match together with its neighbour.
func appendMasked(dst []byte, kind Kind, value, rest string) []byte {
	switch kind {
	case Email:
		return appendMaskedEmail(dst, value)
	case Card:
		return appendMaskedCard(dst, value)
	case IP:
		return appendMaskedIP(dst, value)
	case APIKey:
		dst = append(dst, hidden...)
		if len(value) >= minTailedKey && safeTail(value[len(value)-tailLength:]) && closes(rest) {
			dst = append(dst, value[len(value)-tailLength:]...)
		}
		return dst
	default:
		return append(dst, hidden...)
	}
}

// appendMaskedEmail appends local@****.tld. It hides a local part that is a find itself or more than a local part, and
// a top-level domain that is more than letters, which means that something was joined to the address, or Punycode.
func appendMaskedEmail(dst []byte, value string) []byte {
	sign, dot := -1, -1
	for i := range len(value) {
		switch {
		case value[i] == '.':
			dot = i
		case value[i] == '@' && sign >= 0:
			return append(dst, hidden...) // several addresses in one
		case value[i] == '@':
			sign = i
		}
	}
	if local := value[:max(sign, 0)]; plain(local, localByte) {
		dst = append(dst, local...)
	} else {
		dst = append(dst, hidden...)
	}
	dst = append(dst, '@')
	dst = append(dst, hidden...)
	if dot > sign && plain(value[dot+1:], letterByte) {
		dst = append(dst, value[dot:]...)
	}
	return dst
}

// plain reports whether text is of class c and holds no find itself.
func plain(text string, c class) bool {
	return only(text, c) && len((&Scanner{}).Find(text, nil)) == 0
}

// appendMaskedCard appends three hidden groups, with the separator of value, and its last four digits.
func appendMaskedCard(dst []byte, value string) []byte {
	var tail [tailLength]byte
	mask := cardMask
	count, plain := 0, true
	for i := len(value) - 1; i >= 0; i-- {
		switch c := value[i]; {
		case c == '-':
			mask = cardMaskDashed
		case c == ' ' && mask != cardMaskDashed:
			mask = cardMaskSpaced
		case classes[c]&digitByte == 0:
			plain = plain && c == ' '
		case count < tailLength:
			count++
			tail[tailLength-count] = c
		}
	}
	if !plain {
		return append(dst, hidden...)
	}
	dst = append(dst, mask...)
	return append(dst, tail[tailLength-count:]...)
}

// appendMaskedIP appends *.*.*.4 for an IPv4 address and hides any other.
func appendMaskedIP(dst []byte, value string) []byte {
	dots, last := 0, 0
	for i := range len(value) {
		switch {
		case value[i] == '.':
			dots++
			last = i
		case classes[value[i]]&digitByte == 0:
			return append(dst, hidden...)
		}
	}
	if dots != 3 {
		return append(dst, hidden...)
	}
	dst = append(dst, "*.*.*"...)
	return append(dst, value[last:]...)
}

// safeTail reports whether tail, the end of a key, may be shown: letters and digits, and not digits alone, which a card
// number could begin with.
func safeTail(tail string) bool {
	return only(tail, letterByte|digitByte) && contains(tail, letterByte)
}

// closes reports whether rest begins with something that ends a word for good: nothing, white space, a quote, a bracket
// or another sign that is part of no find.
func closes(rest string) bool {
	return blank(rest, 0) || isOneOf(rest[0], "\"'`,;()[]{}<>&|\\")
}
