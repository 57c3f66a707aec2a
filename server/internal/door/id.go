package door

import (
	"strings"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// UUID returns an id in the form in which it is kept; ok is false if the text is not the usual form of a UUID.
func UUID(text string) (id string, ok bool) {
	parsed, err := uuid.Parse(text)
	return parsed.String(), err == nil && len(text) == 36
}

// MaxThreadName is the maximum length of the name of a thread, in bytes.
const MaxThreadName = checkpoint.MaxThreadName

// ConversationPrefix begins the ids of OpenAI's conversations, which are threads.
const ConversationPrefix = "conv_"

// ThreadID returns the id of the thread that a client names. A UUID stands for itself, also as the id of an OpenAI conversation, and any other name
// for the UUID that follows from it. All doors share these names, so that a conversation can go on through another door. Threads are kept by their
// owners, so that the same name of two owners is two threads. The error wraps [checkpoint.ErrThreadName] if [checkpoint.CheckName] refuses the name.
func ThreadID(name string) (string, error) {
	if err := checkpoint.CheckName(name); err != nil {
		return "", err
	}
	if id, ok := UUID(strings.TrimPrefix(name, ConversationPrefix)); ok {
		return id, nil
	}
	return uuid.NewSHA1(threadSpace, []byte(name)).String(), nil
}

// threadSpace is the namespace of the ids of threads that have names.
var threadSpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("agenthost:thread"))
