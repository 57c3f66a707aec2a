package strictyaml

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// A path is written as in middleware[2].grant["http.fetch"][0]: keys that are not plain names are in
// brackets and quotes.

var plainKey = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func childPath(path, key string) string {
	switch {
	case !plainKey().MatchString(key):
		return path + "[" + quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func indexPath(path string, index int) string {
	return path + "[" + strconv.Itoa(index) + "]"
}

// step is one key or index of a path.
type step struct {
	key   string
	index int // -1 for a key
}

// parsePath reads the path that a text starts with, up to a "=", and returns the rest.
func parsePath(text string) (steps []step, rest string, err error) {
	rest = text
	for {
		switch {
		case strings.HasPrefix(rest, `["`):
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
				return nil, "", fmt.Errorf(`the quoted key after %q does not end with "]`, before(text, rest))
			}
			key, _ := strconv.Unquote(quoted)
			steps = append(steps, step{key, -1})
			rest = rest[len(quoted)+2:]
		case strings.HasPrefix(rest, "["):
			digits, after, ok := strings.Cut(rest[1:], "]")
			index, err := strconv.ParseUint(digits, 10, 31)
			if !ok || err != nil {
				return nil, "", fmt.Errorf("the index after %q is not a number in brackets", before(text, rest))
			}
			steps = append(steps, step{"", int(index)})
			rest = after
		default:
			key := strings.TrimPrefix(rest, ".")
			if len(steps) == 0 && key != rest || len(steps) > 0 && key == rest {
				return nil, "", fmt.Errorf(`"." or "[" is expected after %q`, before(text, rest))
			}
			if end := strings.IndexAny(key, `.[]="`); end >= 0 {
				key = key[:end]
			}
			if key == "" {
				return nil, "", fmt.Errorf("a key is missing after %q", before(text, rest))
			}
			steps = append(steps, step{key, -1})
			rest = rest[strings.Index(rest, key)+len(key):]
		}
		if rest == "" || rest[0] == '=' {
			return steps, rest, nil
		}
	}
}

func before(text, rest string) string { return text[:len(text)-len(rest)] }
