package httptool

import (
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// segment is one part of a path, between two slashes.
type segment struct {
	text  template // as written in the URL
	shape template // the decoded text, with slash in place of slashes that the operator escaped
}

// slash replaces an operator's escaped slash in the shape of a segment. No argument may contain it.
const slash = "\x01"

func parseSegment(text string) (s segment, err error) {
	if s.text, err = parseTemplate(text); err != nil {
		return s, err
	}
	s.shape = s.text.escaped(func(text string) string {
		decoded, err := url.PathUnescape(text)
		if err != nil {
			return text // nothing is sent: the client refuses the URL
		}
		return strings.NewReplacer("/", slash, `\`, slash).Replace(decoded)
	})
	return s, nil
}

// fill inserts the arguments. It refuses a value that could become another part of the path, even in a server that decodes
// once too often, because escaping does not help there.
func (s segment) fill(args wire.Map) (string, error) {
	text, complete, err := s.text.fill(args, inPath)
	if err == nil && !complete {
		err = s.text.missing(args)
	}
	names := s.text.names()
	if err != nil || len(names) == 0 {
		return text, err
	}
	decoded, _, _ := s.shape.fill(args, asItIs) // asItIs returns no error
	if decoded = decodedFully(decoded); strings.ContainsAny(decoded, "/\\\x00\r\n") {
		return "", &argumentError{names[0], "may have no escaped slashes and control characters: it is one part of a path"}
	}
	for part := range strings.SplitSeq(decoded, slash) {
		if decoded == "" || isDots(part) {
			return "", &argumentError{names[0], "would make a part of the path that is empty or made of dots"}
		}
	}
	return text, nil
}

// maxInPath is the maximum length of an argument in a path, in bytes.
const maxInPath = 2 << 10

// inPath escapes a value for one part of a path.
func inPath(name, value string) (string, error) {
	if len(value) > maxInPath {
		return "", &argumentError{name, "is too long for a path"}
	}
	for i := range len(value) {
		if c := value[i]; c == '/' || c == '\\' || c < ' ' || c == 0x7f {
			return "", &argumentError{name, "may have no slashes, backslashes and control characters: it is one part of a path"}
		}
	}
	return moreEscapes.Replace(url.PathEscape(value)), nil
}

// moreEscapes covers characters that PathEscape leaves alone but some servers interpret.
var moreEscapes = strings.NewReplacer("&", "%26", "=", "%3D", "+", "%2B", "$", "%24", ":", "%3A", "@", "%40")

// escapes decodes the characters that shape a path. Malformed escapes next to them do not keep servers from decoding these.
var escapes = strings.NewReplacer(
	"%25", "%", "%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%2e", ".", "%2E", ".", "%00", "\x00", "%0a", "\n", "%0A", "\n", "%0d", "\r", "%0D", "\r",
	"%3b", ";", "%3B", ";",
)

// decodedFully decodes a text until nothing is left to decode.
func decodedFully(text string) string {
	for {
		decoded := escapes.Replace(text)
		if decoded == text {
			return text
		}
		text = decoded
	}
}

// isDots reports whether a server may read a part of a path as the current or parent directory. Some servers treat text after
// a semicolon as a parameter.
func isDots(text string) bool {
	name, _, _ := strings.Cut(text, ";")
	return name == "." || name == ".."
}
