package strictyaml

import (
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// maxListed is the number of valid names that a hint lists.
const maxListed = 30

// suggestion returns the hint for an unknown name: the nearest valid name, or a list of valid names.
func suggestion(name string, valid []string, what string) string {
	if near, ok := text.Nearest(name, valid); ok {
		return "did you mean " + quote(near) + "?"
	}
	if len(valid) == 0 {
		return ""
	}
	listed, rest := valid, ""
	if len(valid) > maxListed {
		listed, rest = valid[:maxListed], ", …"
	}
	return "valid " + what + ": " + strings.Join(listed, ", ") + rest
}
