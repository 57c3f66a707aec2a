package agui

import (
	"strings"

	"github.com/agenthost/agenthost/server/internal/door"
)

// maxID is the maximum length of an id that a client chooses, in bytes.
const maxID = door.MaxThreadName

// checkID checks an id that a client chose.
func checkID(member, id string) error {
	switch {
	case id == "":
		return unprocessable("the member %s is missing or empty", member)
	case len(id) > maxID:
		return unprocessable("the member %s has %d bytes; at most %d are possible", member, len(id), maxID)
	case strings.ContainsRune(id, 0):
		return unprocessable("the member %s has the character 0", member)
	default:
		return nil
	}
}
