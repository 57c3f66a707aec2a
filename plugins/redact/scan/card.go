package scan

const (
	minCardDigits = 13
	maxCardDigits = 19
	minCardGroup  = 3 // digits in a group; the last one may be shorter
	maxCardGroup  = 7
)

// card looks for a payment card number whose first run of digits is text[i:end]: 13 to 19 digits, in one run or in
// groups with one space or dash between them, of a length that its issuer uses and with a correct check digit. (The
// reference knows only 4×4 digits and the check digit.) The longest such number wins. An expiry date or a CVV after it
// is not touched.
//
// It reads at most 19 digits and their separators.
func (p *pass) card(i, end int) int {
	size := end - i
	if p.skip[Card] || size < minCardGroup || size > maxCardDigits || p.maskedTail(i, end) {
		return 0
	}
	var digits [maxCardDigits]byte
	grouped := size <= maxCardGroup
	found, count := 0, 0
	for count+size <= maxCardDigits {
		for k := end - size; k < end; k++ {
			digits[count] = p.text[k] - '0'
			count++
		}
		if plausibleCard(digits[:count]) && !is(p.text, end, wordByte) {
			found = end
		}
		if !grouped || size < minCardGroup || end == len(p.text) || p.text[end] != ' ' && p.text[end] != '-' {
			break
		}
		size = 0
		for size <= maxCardGroup && is(p.text, end+1+size, digitByte) {
			size++
		}
		if size == 0 || size > maxCardGroup {
			break
		}
		end += 1 + size
	}
	p.work += end - i
	if found == 0 {
		return 0
	}
	return p.add(Card, i, found)
}

// maskedTail reports whether text[i:end] is the visible rest of a card number or an IPv4 address after Mask. Such
// digits begin no match; otherwise they could form a card number with the groups after them.
func (p *pass) maskedTail(i, end int) bool {
	if at(p.text, i-len("*.*.*."), "*.*.*.") {
		return true
	}
	return end-i == 4 && p.maskedCard(i)
}

// maskedCard reports whether the text before i is the hidden part of a card number that Mask replaced.
func (p *pass) maskedCard(i int) bool {
	return at(p.text, i-len(cardMask), cardMask) ||
		at(p.text, i-len(cardMaskDashed), cardMaskDashed) ||
		at(p.text, i-len(cardMaskSpaced), cardMaskSpaced)
}

// plausibleCard reports whether digits (their values, not their characters) can be a card number: an issuer's prefix, a
// length that the issuer uses, a correct check digit.
func plausibleCard(digits []byte) bool {
	n := len(digits)
	if n < minCardDigits {
		return false
	}
	prefix := 0
	for _, digit := range digits[:4] {
		prefix = prefix*10 + int(digit)
	}
	return issuerLength(prefix, n) && luhn(digits)
}

// issuerLength reports whether an issuer whose numbers begin with the four digits of prefix gives out numbers of n
// digits (ISO/IEC 7812 ranges in use). UATP (1…) is missing on purpose: 15 digits after a 1 are mostly something else.
func issuerLength(prefix, n int) bool {
	switch two := prefix / 100; {
	case prefix/1000 == 4: // Visa
		return n == 13 || n == 16 || n == 19
	case two == 34, two == 37: // American Express
		return n == 15
	case two >= 51 && two <= 55, prefix >= 2221 && prefix <= 2720: // Mastercard
		return n == 16
	case prefix >= 2200 && prefix <= 2204: // Mir
		return n >= 16
	case prefix >= 3528 && prefix <= 3589: // JCB
		return n >= 16
	case two == 36, two == 38, two == 39, prefix >= 3000 && prefix <= 3059, prefix == 3095: // Diners Club
		return n == 14 || n == 16
	case two == 60, two == 62, two == 64, two == 65, two == 81, two == 82: // Discover, UnionPay, RuPay
		return n >= 16
	case two == 50, two >= 56 && two <= 58, prefix/1000 == 6: // Maestro and its local kin
		return n >= minCardDigits
	}
	return false
}

// luhn reports whether digits (their values) have a correct check digit by ISO/IEC 7812-1, annex B.
func luhn(digits []byte) bool {
	sum := 0
	for i, digit := range digits {
		value := int(digit)
		if (len(digits)-i)%2 == 0 {
			value *= 2
			if value > 9 {
				value -= 9
			}
		}
		sum += value
	}
	return sum%10 == 0
}
