package shellsession

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// prelude keeps copies of stdout and stderr for the markers.
const prelude = "exec 7>&1 8>&2\n"

// line returns the input that makes the shell run a command and mark the end of its output.
func line(command, marker string) string {
	a, b := marker[:len(marker)/2], marker[len(marker)/2:]
	return fmt.Sprintf("command eval %s </dev/null 7>&- 8>&-; "+
		"{ command printf '%%s%%s %%s\\n' %s %s \"$?\" >&7; command printf '%%s%%s\\n' %s %s >&8; } 2>/dev/null\n",
		quote(command), a, b, a, b)
}

// quote returns a text as one word of the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// newSecret returns a random word that nobody can guess.
func newSecret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
