package mask

import (
	"strings"

	"github.com/agenthost/agenthost/internal/headerfield"
)

// Arguments returns the arguments of a command that a flag names as secret: --api-key VALUE, --token=VALUE, API_KEY=VALUE, and headers such as
// "Authorization: Bearer VALUE".
func Arguments(command []string) (values []string) {
	named := false // whether the flag before is named like a secret
	for _, argument := range command[min(1, len(command)):] {
		name, value, assigned := strings.Cut(argument, "=")
		header, content, isHeader := strings.Cut(argument, ":")
		switch {
		case named && !strings.HasPrefix(argument, "-"):
			values = append(values, argument)
		case assigned && IsCredential(name):
			values = append(values, value)
		case isHeader && headerfield.IsName(header) && IsCredential(header):
			values = append(values, Credentials(strings.TrimSpace(content))...)
		}
		named = strings.HasPrefix(argument, "-") && !assigned && IsCredential(argument)
	}
	return values
}
