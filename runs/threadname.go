package runs

import "strings"

// ThreadName returns the name under which the checkpoints of an owner's thread are kept. No two threads have the same name.
func ThreadName(owner, thread string) string {
	return ownerEscapes.Replace(owner) + "/" + thread
}

// ownerEscapes keeps the slash for the end of the owner. An id of a thread has none.
var ownerEscapes = strings.NewReplacer("%", "%25", "/", "%2F")
