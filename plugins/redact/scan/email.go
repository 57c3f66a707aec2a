package scan

// email looks for an address around the '@' at i. The shape is that of LangChain's PIIMiddleware,
//
//	\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b
//
// except that a letter outside ASCII next to the address does not hide it, and that internationalised domain names
// (bücher.example, xn--bcher-kva.example) are known.
//
// Neither side extends beyond another '@', so every byte is read for at most two of them.
func (p *pass) email(i int) int {
	if p.skip[Email] || !is(p.text, i-1, localByte) {
		return 0
	}
	end := p.domain(i + 1)
	if end == 0 {
		return 0
	}
	start := i
	for start > p.sealed && classes[p.text[start-1]]&localByte != 0 {
		start--
	}
	p.work += i - start
	for start < i && classes[p.text[start]]&wordByte == 0 {
		start++
	}
	if start == i {
		return 0
	}
	p.add(Email, start, end)
	return i + 1 // a domain may begin another match, which then joins the address
}

// domain returns the end of the domain name at i, or 0 if there is none: the last label after a dot that begins with
// two letters or more and then a border, or that is in Punycode.
func (p *pass) domain(i int) int {
	text, end := p.text, 0
	for first := true; ; first = false {
		letters := p.span(i, letterByte)
		label := p.span(letters, labelByte)
		if label == i || text[i] == '-' {
			return end
		}
		switch {
		case first:
		case letters-i >= 2 && !is(text, letters, wordByte) && !at(text, i, "xn--"):
			end = letters
		case at(text, i, "xn--"):
			if ascii := p.span(i, tokenByte); ascii <= label && text[ascii-1] != '-' {
				end = ascii
			}
		}
		if label == len(text) || text[label] != '.' {
			return end
		}
		i = label + 1
	}
}
