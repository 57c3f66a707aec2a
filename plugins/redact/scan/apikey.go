package scan

// shape is a kind of key that is recognised by its prefix.
type shape struct {
	prefix string
	body   class // class of the bytes after the prefix
	length int   // minimum number of bytes after the prefix
	random bool  // the body must look random, because the prefix is not specific enough
}

// dashShapes are the keys whose prefix ends in (or, for the first, has its first dash at) the dash that wakes dashKey.
// OpenAI's sk-proj- and Anthropic's sk-ant- are cases of sk-.
var dashShapes = []shape{
	{prefix: "sk-", body: tokenByte, length: 20, random: true},
	{prefix: "xoxb-", body: tokenByte, length: 10},
	{prefix: "xoxp-", body: tokenByte, length: 10},
	{prefix: "xoxa-", body: tokenByte, length: 10},
	{prefix: "xoxr-", body: tokenByte, length: 10},
	{prefix: "xoxs-", body: tokenByte, length: 10},
	{prefix: "xoxe-", body: tokenByte, length: 10},
	{prefix: "xapp-", body: tokenByte, length: 10},
	{prefix: "glpat-", body: dottedByte, length: 20},
}

// underscoreShapes are the keys with an underscore at the end of their prefix.
var underscoreShapes = []shape{
	{prefix: "ghp_", body: dottedByte, length: 36},
	{prefix: "gho_", body: dottedByte, length: 36},
	{prefix: "ghu_", body: dottedByte, length: 36},
	{prefix: "ghs_", body: dottedByte, length: 36},
	{prefix: "ghr_", body: dottedByte, length: 36},
	{prefix: "github_pat_", body: wordByte, length: 22},
	{prefix: "sk_live_", body: wordByte, length: 16},
	{prefix: "sk_test_", body: wordByte, length: 16},
	{prefix: "pk_live_", body: wordByte, length: 16},
	{prefix: "pk_test_", body: wordByte, length: 16},
	{prefix: "rk_live_", body: wordByte, length: 16},
	{prefix: "rk_test_", body: wordByte, length: 16},
	{prefix: "whsec_", body: wordByte, length: 24},
	{prefix: "npm_", body: wordByte, length: 36},
	{prefix: "hf_", body: wordByte, length: 30},
}

// dashKey looks for a key with a prefix that ends in the dash at i.
func (p *pass) dashKey(i int) int {
	if p.skip[APIKey] || i == 0 {
		return 0
	}
	switch p.text[i-1] {
	case 'k', 'a', 'b', 'e', 'p', 'r', 's', 't':
		return p.shaped(dashShapes, i)
	}
	return 0
}

// underscoreKey looks for a key with a prefix that ends in the underscore at i.
func (p *pass) underscoreKey(i int) int {
	if p.skip[APIKey] || i < 2 {
		return 0
	}
	switch p.text[i-1] {
	case 'p', 'o', 'u', 's', 'r', 't', 'e', 'c', 'm', 'f':
		return p.shaped(underscoreShapes, i)
	}
	return 0
}

// shaped looks for a key of one of the shapes, whose prefix ends at i.
func (p *pass) shaped(shapes []shape, i int) int {
	for k := range shapes {
		shape := &shapes[k]
		start := i + 1 - len(shape.prefix)
		if !at(p.text, start, shape.prefix) {
			continue
		}
		if !p.keyBorders(start) {
			return 0
		}
		end := p.span(i+1, shape.body)
		for end > i+1 && (p.text[end-1] == '.' || p.text[end-1] == '-') {
			end--
		}
		if end-i-1 < shape.length || shape.random && !looksRandom(p.text[i+1:end]) {
			return 0
		}
		return p.add(APIKey, start, end)
	}
	return 0
}

// capitalKey looks for a key that begins with a capital A: Amazon's AKIA and ASIA, Google's AIza.
func (p *pass) capitalKey(i int) int {
	if p.skip[APIKey] {
		return 0
	}
	switch {
	case at(p.text, i, "AKIA"), at(p.text, i, "ASIA"):
		if !p.keyBorders(i) {
			return 0
		}
		end := i + 4
		for end-i < 20 && is(p.text, end, upperByte|digitByte) {
			end++
		}
		p.work += end - i
		if end-i == 20 && !is(p.text, end, wordByte) {
			return p.add(APIKey, i, end)
		}
	case at(p.text, i, "AIza"):
		if !p.keyBorders(i) {
			return 0
		}
		if end := p.span(i, tokenByte); end-i >= 39 {
			return p.add(APIKey, i, end)
		}
	}
	return 0
}

// jwt looks for a JSON Web Token around the J at i: "eyJ" (the Base64 of `{"`) and two or more parts after dots. A
// token that was cut off is recognised by a second part that is JSON too.
func (p *pass) jwt(i int) int {
	const minPart = 10
	start := i - len("ey")
	if p.skip[APIKey] || !at(p.text, start, "eyJ") || !p.keyBorders(start) {
		return 0
	}
	header := p.span(start, tokenByte)
	if header-start < minPart || !at(p.text, header, ".") {
		return 0
	}
	end := p.span(header+1, tokenByte)
	if end-header-1 < minPart || !at(p.text, header+1, "eyJ") && (!at(p.text, end, ".") || !is(p.text, end+1, tokenByte)) {
		return 0
	}
	for at(p.text, end, ".") && is(p.text, end+1, tokenByte) && !at(p.text, end+1, pemBegin) {
		end = p.span(end+1, tokenByte)
	}
	return p.add(APIKey, start, end)
}

// bearer looks for an RFC 6750 credential, "Bearer <token>", at the B at i. The word stays, the token is the match.
func (p *pass) bearer(i int) int {
	const minToken, surely = 8, 24
	if p.skip[APIKey] || !foldedAt(p.text, i, "bearer") || !p.borders(i, wordByte) {
		return 0
	}
	start := p.gap(i + len("bearer"))
	if start == i+len("bearer") {
		return 0
	}
	end := p.span(start, bearerByte)
	for end > start && p.text[end-1] == '.' {
		end--
	}
	if end-start < minToken || end-start < surely && !contains(p.text[start:end], digitByte) {
		return 0
	}
	for at(p.text, end, "=") {
		end++
	}
	return p.add(APIKey, start, end)
}

// keyBorders reports whether a key may begin at i: not within a word, and not after a dash within a word. So "-ghp_" at
// the start of a line of a diff is found, and no run of token bytes is read more than twice.
func (p *pass) keyBorders(i int) bool {
	if p.borders(i, tokenByte) {
		return true
	}
	return p.text[i-1] == '-' && p.borders(i-1, tokenByte)
}

// gap returns the end of the spaces and tabs at i, but skips at most eight.
func (p *pass) gap(i int) int {
	for k := 0; k < 8 && i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\t'); k++ {
		i++
	}
	return i
}

// looksRandom reports whether text has a digit, or letters of both cases.
func looksRandom(text string) bool {
	upper, lower := false, false
	for i := range len(text) {
		switch c := classes[text[i]]; {
		case c&digitByte != 0:
			return true
		case c&upperByte != 0:
			upper = true
		case c&letterByte != 0:
			lower = true
		}
	}
	return upper && lower
}
