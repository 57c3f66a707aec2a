package jsonbody

// MaxDepth is how many arrays and objects of a body may be within each other. The values of an agent nest at most 48 deep, and a request has
// a few around them.
const MaxDepth = 100

// TooDeep reports whether a text that may be JSON nests deeper than [MaxDepth].
func TooDeep(text []byte) bool { return deeperThan(text, MaxDepth) }

// deeperThan reports whether a text that may be JSON nests deeper. It looks at each byte once, and keeps nothing.
func deeperThan(text []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			if depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
