package scan

// ipv4 looks for an IPv4 address whose first run of digits is text[i:end]. Like LangChain's PIIMiddleware (by way of
// Python's ipaddress) it requires four numbers up to 255 without leading zeros. Unlike LangChain, it treats 1.2.3.4.5
// and the 120.0.0.0 of "Chrome/120.0.0.0" as versions.
func (p *pass) ipv4(i, end int) int {
	if p.skip[IP] || end-i > 3 || end == len(p.text) || p.text[end] != '.' {
		return 0
	}
	end = p.quad(i)
	if end == 0 || p.productVersion(i, end) {
		return 0
	}
	return p.add(IP, i, end)
}

// quad returns the end of the dotted quad at i, or 0 if there is none or if it has more parts.
func (p *pass) quad(i int) int {
	text := p.text
	for part := 0; ; part++ {
		value, digits := 0, i
		for is(text, i, digitByte) && i-digits < 4 {
			value = value*10 + int(text[i]-'0')
			i++
		}
		p.work += i - digits + 1
		if size := i - digits; size == 0 || size > 3 || value > 255 || size > 1 && text[digits] == '0' {
			return 0
		}
		if part == 3 {
			break
		}
		if i == len(text) || text[i] != '.' {
			return 0
		}
		i++
	}
	if is(text, i, wordByte) || at(text, i, ".") && is(text, i+1, digitByte) {
		return 0
	}
	return i
}

// productVersion reports whether text[i:end], a dotted quad, is the version in a "Product/120.0.0.0", as browsers write
// it in their User-Agent. (A slash does not suffice: Java writes addresses as "host/10.1.2.3".)
func (p *pass) productVersion(i, end int) bool {
	return p.before(i, 1, slashByte) && p.before(i, 2, letterByte) && at(p.text, end-len(".0.0.0"), ".0.0.0")
}

// ipv6 looks for an IPv6 address whose first colon is at i. Times (12:34:56) and hardware addresses do not match,
// because they have neither eight groups nor a "::". An address without any digit is taken for a path in a program
// (dead::beef).
//
// Only the first colon in a run of colons and hexadecimal digits leads beyond its neighbours, and from there at most 45
// bytes are read.
func (p *pass) ipv6(i int) int {
	if p.skip[IP] {
		return 0
	}
	start := i
	for i-start <= 4 && is(p.text, start-1, hexByte) {
		start--
	}
	p.work += i - start
	end := 0
	if i-start <= 4 && p.ipv6Border(start) {
		end = p.groups(start)
	}
	if end == 0 && i == p.end { // after a match, an address may begin with "::"
		start = i
		end = p.groups(start)
	}
	if end == 0 || !contains(p.text[start:end], digitByte) {
		return 0
	}
	return p.add(IP, start, end)
}

func (p *pass) ipv6Border(start int) bool {
	if start == p.end {
		return true
	}
	return !is(p.text, start-1, wordByte) && !at(p.text, start-1, ":") && !at(p.text, start-1, ".") && !p.maskedCard(start)
}

// groups returns the end of the IPv6 address at i, or 0 if there is none.
func (p *pass) groups(i int) int {
	text := p.text
	count, compressed := 0, false
	if text[i] == ':' {
		if !at(text, i, "::") {
			return 0
		}
		compressed = true
		i += len("::")
	}
	for count < 8 {
		end := i
		for end-i <= 4 && is(text, end, hexByte) {
			end++
		}
		p.work += end - i + 1
		if end == i {
			break
		}
		if end-i > 4 {
			return 0
		}
		if count <= 6 && at(text, end, ".") && end-i <= 3 {
			if quad := p.quad(i); quad > 0 {
				count += 2
				i = quad
				break
			}
		}
		count++
		i = end
		if at(text, i, "::") {
			if compressed {
				return 0
			}
			compressed = true
			i += len("::")
			continue
		}
		if !at(text, i, ":") || !is(text, i+1, hexByte) {
			break
		}
		i++
	}
	if compressed && count > 7 || !compressed && count != 8 || is(text, i, wordByte) {
		return 0
	}
	if at(text, i, ":") && !blank(text, i+1) {
		return 0
	}
	if text[i-1] == ':' && !blank(text, i) && !isOneOf(text[i], "/%,;)]}\"'") {
		return 0 // f64::MAX, and an address whose rest is something else
	}
	return i
}

// blank reports whether text ends at i or goes on with white space.
func blank(text string, i int) bool {
	return i == len(text) || isOneOf(text[i], " \t\r\n")
}

func isOneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}
