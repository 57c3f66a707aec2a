package scan

// This file finds secrets by the name before them: password=…, "api_key": "…", client_secret: …, export
// AWS_SECRET_ACCESS_KEY=…, Authorization: Basic …. The name stays, the value is the match.

const (
	minSecret   = 8 // bytes of a value
	minPassword = 6
	minQuoted   = 16 // bytes without a space that make a quoted value a secret, whatever they are
)

// name says what a name reveals about its value.
type name uint8

const (
	noName       name = iota
	secretName        // keys, tokens, secrets: random, or not worth hiding
	passwordName      // chosen by a person: may be a word
	schemeName        // Authorization: a scheme precedes the value
)

// keyNames are the words that make a "key" secret: api_key, access-key, secretKey, "private key".
var keyNames = []string{"api", "access", "secret", "private", "account", "auth"}

// assignment looks for a secret after the colon or equals sign at i.
func (p *pass) assignment(i int) int {
	if p.skip[APIKey] {
		return 0
	}
	before := p.gapBefore(i)
	named := p.nameBefore(before)
	if named == noName {
		return 0
	}
	start := i + 1
	switch {
	case p.text[i] == ':' && at(p.text, start, ":"):
		return 0 // a path: token::Kind
	case at(p.text, start, "="), p.text[i] == '=' && at(p.text, start, ">"):
		start++ // :=, == and =>
	}
	direct := before == i
	if at(p.text, start, "** ") { // the end of a bold name
		start += len("** ")
	}
	if after := p.gap(start); after > start {
		start, direct = after, false
	}
	if quote := start; quote < len(p.text) {
		escaped := p.text[quote] == '\\'
		if escaped {
			quote++
		}
		if at(p.text, quote, `"`) || at(p.text, quote, "'") || at(p.text, quote, "`") {
			return p.quoted(quote, escaped, named)
		}
	}
	if named == schemeName {
		start = p.scheme(start)
	}
	return p.unquoted(start, direct, named)
}

// gapBefore returns the beginning of the spaces before i, but skips at most eight.
func (p *pass) gapBefore(i int) int {
	for k := 0; k < 8 && (at(p.text, i-1, " ") || at(p.text, i-1, "\t")); k++ {
		i--
	}
	return i
}

// nameBefore says what the name that ends at i reveals about its value. The name may be in quotes, in quotes and
// brackets, or bold.
func (p *pass) nameBefore(i int) name {
	if at(p.text, i-2, "**") {
		i -= 2
	}
	if at(p.text, i-2, `"]`) || at(p.text, i-2, "']") {
		i--
	}
	if at(p.text, i-1, `"`) || at(p.text, i-1, "'") || at(p.text, i-1, "`") {
		i--
		if at(p.text, i-1, `\`) {
			i--
		}
	}
	if i == 0 {
		return noName
	}
	switch lower(p.text[i-1]) {
	case 'd':
		if p.endsIn(i, "password") || p.endsIn(i, "passwd") || p.endsIn(i, "pwd") {
			return passwordName
		}
	case 'e':
		if p.endsIn(i, "passphrase") {
			return passwordName
		}
	case 't':
		if p.endsIn(i, "secret") {
			return secretName
		}
	case 'n':
		if p.endsIn(i, "token") {
			return secretName
		}
		if p.endsIn(i, "authorization") {
			return schemeName
		}
	case 'y':
		if !p.endsIn(i, "key") {
			return noName
		}
		i -= len("key")
		if at(p.text, i-1, "_") || at(p.text, i-1, "-") || at(p.text, i-1, " ") {
			i--
		}
		for _, word := range keyNames {
			if p.endsIn(i, word) {
				return secretName
			}
		}
	}
	return noName
}

func (p *pass) endsIn(i int, word string) bool {
	return foldedAt(p.text, i-len(word), word)
}

// scheme returns the end of the scheme of an Authorization header at i ("Basic "), or i if there is none.
func (p *pass) scheme(i int) int {
	end := i
	for end-i < 16 && is(p.text, end, letterByte) {
		end++
	}
	if value := p.gap(end); end > i && value > end {
		return value
	}
	return i
}

// quoted looks at the value in the quotes that open at i. If the quotes are themselves escaped (JSON within JSON), so
// is the one that closes them. A value ends at the end of its line at the latest.
func (p *pass) quoted(i int, escaped bool, named name) int {
	text, quote := p.text, p.text[i]
	start := i + 1
	if named == schemeName {
		start = p.scheme(start)
	}
	end := start
scan:
	for ; end < len(text); end++ {
		switch text[end] {
		case quote, '\n':
			break scan
		case '\\':
			if escaped && at(text, end+1, text[i:i+1]) {
				break scan
			}
			if !escaped && (at(text, end+1, `\`) || at(text, end+1, text[i:i+1])) {
				end++
			}
		case '-', '[', '<', '*':
			if replaced(text, end) {
				break scan
			}
		}
	}
	p.work += end - start
	if !secretInQuotes(text[start:end], named) {
		return 0
	}
	return p.add(APIKey, start, end)
}

func secretInQuotes(value string, named name) bool {
	switch {
	case at(value, 0, "${"), at(value, 0, "{{"), at(value, 0, "<"), at(value, 0, "%("):
		return false // a template
	case named == passwordName:
		return len(value) >= minPassword
	case len(value) < minSecret:
		return false
	case contains(value, strongByte):
		return true
	}
	for i := 0; i < len(value) && i < minQuoted; i++ {
		if value[i] == ' ' {
			return false
		}
	}
	return len(value) >= minQuoted
}

// unquoted looks at the value at i. Direct says that only the sign separates it from its name. A value must have a
// digit or one of !#$%*+?@^~. Otherwise it is prose ("invalid token: unexpected end") or an identifier of a program
// (token=request.token). Only a password right after its sign may consist of letters only.
func (p *pass) unquoted(i int, direct bool, named name) int {
	text, end := p.text, i
	if i >= p.weak {
		strong := false
		for end < len(text) && classes[text[end]]&valueByte != 0 && !replaced(text, end) {
			strong = strong || classes[text[end]]&strongByte != 0
			end++
		}
		p.work += end - i
		if strong {
			return p.secret(i, end, named)
		}
		p.weak = end
	}
	if !direct || named != passwordName {
		return 0
	}
	end = p.span(i, letterByte)
	if end-i < minSecret || is(text, end, valueByte) && !replaced(text, end) {
		return 0
	}
	return p.add(APIKey, i, end)
}

// secret records the value text[start:end], which has a strong byte, unless it is too short, a variable or an address
// after a scheme ("secret://…").
func (p *pass) secret(start, end int, named name) int {
	shortest := minSecret
	if named == passwordName {
		shortest = minPassword
	}
	if end-start < shortest || at(p.text, start, "//") || isVariable(p.text[start:end]) {
		return 0
	}
	for p.text[end-1] == '.' || p.text[end-1] == ':' {
		end--
	}
	return p.add(APIKey, start, end)
}

// isVariable reports whether value is a shell's $NAME.
func isVariable(value string) bool {
	if value[0] != '$' {
		return false
	}
	for i := 1; i < len(value); i++ {
		if classes[value[i]]&wordByte == 0 {
			return false
		}
	}
	return true
}

// replaced reports whether text has a replacement of Apply at i, or something that Apply will replace. Values stop
// there, so that a text and its redacted form have the same values.
func replaced(text string, i int) bool {
	switch text[i] {
	case '*':
		return at(text, i, hidden)
	case '-':
		return at(text, i, pemBegin)
	case '[':
		for _, replacement := range redacted {
			if at(text, i, replacement) {
				return true
			}
		}
	case '<':
		for _, kindName := range kindNames {
			if at(text, i+1, kindName) && hashed(text, i+1+len(kindName)) {
				return true
			}
		}
	}
	return false
}

// hashed reports whether text has the rest of a replacement of Hash, after the kind, at i.
func hashed(text string, i int) bool {
	digits := i + len(hashMiddle)
	end := digits + hashDigits
	return at(text, i, hashMiddle) && at(text, end, ">") && only(text[digits:end], hexByte)
}
