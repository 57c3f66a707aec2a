package httptool

import (
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// segment is one part of a path, between two slashes.
type segment struct {
	text  template // as the URL has it
	shape template // its own text decoded, with slash for the slashes that the operator has escaped
}

// slash stands for a slash of the operator in the shape of a segment. No argument has it.
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

// fill puts the arguments in their places. What would become another part of the path, in a server that decodes it once
// too often too, is refused: no escape helps there.
func (s segment) fill(args wire.Map) (string, error) {
	text, complete, err := s.text.fill(args, inPath)
	if err == nil && !complete {
		err = s.text.missing(args)
	}
	names := s.text.names()
	if err != nil || len(names) == 0 {
		return text, err
	}
	decoded, _, _ := s.shape.fill(args, asItIs) // which has no error
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

// maxInPath is how long an argument in a path may be, in bytes.
const maxInPath = 2 << 10

// inPath escapes what stands in one part of a path.
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

// moreEscapes are of what PathEscape leaves, and some servers give a meaning to.
var moreEscapes = strings.NewReplacer("&", "%26", "=", "%3D", "+", "%2B", "$", "%24", ":", "%3A", "@", "%40")

// escapes of what a path is made of. Those that cannot be read, beside them, stop no server from reading these.
var escapes = strings.NewReplacer(
	"%25", "%", "%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%2e", ".", "%2E", ".", "%00", "\x00", "%0a", "\n", "%0A", "\n", "%0d", "\r", "%0D", "\r",
	"%3b", ";", "%3B", ";",
)

// decodedFully is a text that was decoded as often as there is something to decode.
func decodedFully(text string) string {
	for {
		decoded := escapes.Replace(text)
		if decoded == text {
			return text
		}
		text = decoded
	}
}

// isDots reports whether a server may take a part of a path for the directory or the one above it. What stands behind a
// semicolon some take for a parameter.
func isDots(text string) bool {
	name, _, _ := strings.Cut(text, ";")
	return name == "." || name == ".."
}
