package scan

// class is a set of the character classes that a byte belongs to. All of them are about ASCII: a byte of a longer
// UTF-8 sequence is in none but labelByte and valueByte, and therefore borders a word.
type class uint16

const (
	digitByte  class = 1 << iota // 0-9
	letterByte                   // A-Z a-z
	upperByte                    // A-Z
	hexByte                      // 0-9 A-F a-f
	wordByte                     // letters, digits, _
	tokenByte                    // letters, digits, _ and -: the bytes of most keys
	dottedByte                   // tokenByte and the dot
	localByte                    // the part of an e-mail address before the @, as in the reference
	labelByte                    // a label of a domain name, also of an internationalised one
	bearerByte                   // RFC 6750's b64token without the padding
	valueByte                    // an unquoted value after "password="
	dotByte                      // .
	slashByte                    // /
	strongByte                   // bytes that values have and that prose and identifiers lack
)

var classes = func() (table [256]class) {
	add := func(set string, c class) {
		for i := range len(set) {
			table[set[i]] |= c
		}
	}
	const alnum = wordByte | tokenByte | dottedByte | localByte | labelByte | bearerByte | valueByte
	add("0123456789", digitByte|hexByte|strongByte|alnum)
	add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", letterByte|upperByte|alnum)
	add("abcdefghijklmnopqrstuvwxyz", letterByte|alnum)
	add("ABCDEFabcdef", hexByte)
	add("_", alnum&^labelByte)
	add("-", alnum&^wordByte)
	add(".", dottedByte|localByte|bearerByte)
	add("%+", localByte)
	add("~+/", bearerByte)
	add(".", dotByte)
	add("/", slashByte)
	add("!#$%*+-./:=?@^_~", valueByte)
	add("!#$%*+?@^~", strongByte)
	for i := 0x80; i < len(table); i++ {
		table[i] |= labelByte | valueByte
	}
	return table
}()

// is reports whether text[i] exists and is of class c.
func is(text string, i int, c class) bool {
	return i >= 0 && i < len(text) && classes[text[i]]&c != 0
}

// at reports whether text has sub at i.
func at(text string, i int, sub string) bool {
	return i >= 0 && len(text)-i >= len(sub) && text[i:i+len(sub)] == sub
}

// lower returns c in lower case if it is an ASCII letter.
func lower(c byte) byte {
	if classes[c]&upperByte != 0 {
		return c + 'a' - 'A'
	}
	return c
}

// foldedAt reports whether text has sub, which is in lower case, at i in upper or lower case.
func foldedAt(text string, i int, sub string) bool {
	if i < 0 || len(text)-i < len(sub) {
		return false
	}
	for k := range len(sub) {
		if lower(text[i+k]) != sub[k] {
			return false
		}
	}
	return true
}

// contains reports whether a byte of text is of class c.
func contains(text string, c class) bool {
	for i := range len(text) {
		if classes[text[i]]&c != 0 {
			return true
		}
	}
	return false
}

// only reports whether every byte of text is of class c.
func only(text string, c class) bool {
	for i := range len(text) {
		if classes[text[i]]&c == 0 {
			return false
		}
	}
	return true
}
