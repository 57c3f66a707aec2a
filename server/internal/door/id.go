package door

import "github.com/google/uuid"

// UUID returns an id in the form in which it is kept; ok is false if the text is not the usual form of a UUID.
func UUID(text string) (id string, ok bool) {
	parsed, err := uuid.Parse(text)
	return parsed.String(), err == nil && len(text) == 36
}

// ThreadID returns the id of the thread that a client names: a UUID stands for itself, so that every door can read the thread, and any other name
// for the UUID that follows from it in the name space of the door.
func ThreadID(space uuid.UUID, name string) string {
	if id, ok := UUID(name); ok {
		return id
	}
	return uuid.NewSHA1(space, []byte(name)).String()
}
