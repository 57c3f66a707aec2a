package scan

const (
	pemBegin      = "-----BEGIN "
	pemEnd        = "-----END "
	pemDashes     = "-----"
	pemPrivate    = "PRIVATE KEY"
	pemPrivatePGP = "PRIVATE KEY BLOCK"
	maxPEMLabel   = 64 // bytes between "-----BEGIN " and the next dashes
)

// privateKey looks for a PEM block (RFC 7468; also OpenPGP's) with a private key at the dash at i. A block that does
// not end, because a log cut it off, goes to the end of the text, because the end of the key is unknown.
func (p *pass) privateKey(i int) int {
	if p.skip[PrivateKey] || !at(p.text, i, pemBegin) {
		return 0
	}
	body := p.pemLabel(i + len(pemBegin))
	if body == 0 {
		return 0
	}
	end := len(p.text)
	for k := body; k < len(p.text); k++ {
		if p.text[k] != '-' || !at(p.text, k, pemEnd) {
			continue
		}
		if closed := p.pemLabel(k + len(pemEnd)); closed > 0 {
			end = closed
			break
		}
	}
	p.work += end - body
	p.sealed = end
	return p.add(PrivateKey, i, end)
}

// pemLabel returns the end of the line at i if it is the label of a private key, and 0 otherwise.
func (p *pass) pemLabel(i int) int {
	end := i
	for end-i < maxPEMLabel && (is(p.text, end, upperByte|digitByte) || at(p.text, end, " ")) {
		end++
	}
	p.work += end - i
	if !at(p.text, end, pemDashes) {
		return 0
	}
	label := p.text[i:end]
	if !hasSuffix(label, pemPrivate) && !hasSuffix(label, pemPrivatePGP) {
		return 0
	}
	return end + len(pemDashes)
}

func hasSuffix(text, suffix string) bool {
	return at(text, len(text)-len(suffix), suffix)
}
