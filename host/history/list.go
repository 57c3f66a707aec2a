package history

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Entry is one message of a list. It never changes.
type Entry struct {
	message abi.Message
	encoded atomic.Pointer[[]byte]
}

// Encoded returns the message's msgpack form, which the caller must not change. The first call encodes it.
func (e *Entry) Encoded() []byte {
	if b := e.encoded.Load(); b != nil {
		return *b
	}
	most := e.message.Msgsize()
	var b []byte
	if most <= shortMessage {
		b = encodeShort(&e.message)
	} else {
		b, _ = e.message.MarshalMsg(make([]byte, 0, most))
	}
	b = wire.Canonicalized(b)
	e.encoded.Store(&b)
	return b
}

// shortMessage is the Msgsize of a short message, in bytes. Msgsize is the most that a message may take: a short one takes half of it
// or less, while nearly all of a long one is text, which takes what it is counted as.
const shortMessage = 512

// encodeShort encodes a message in memory of the size that it takes, because an entry keeps its form as long as the run lasts. It is
// apart from Encoded so that only this frame has the buffer.
//
//go:noinline
func encodeShort(m *abi.Message) []byte {
	var room [shortMessage]byte
	b, _ := m.MarshalMsg(room[:0])
	return slices.Clone(b)
}

// DecodeEntry returns the entry for a form that Encoded returned. It keeps the bytes.
func DecodeEntry(encoded []byte) (*Entry, error) {
	e := &Entry{}
	rest, err := e.message.UnmarshalMsg(encoded)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, &abi.DocumentError{Document: "message", Reason: "there are bytes after it"}
	}
	e.encoded.Store(&encoded)
	return e, nil
}

// Message returns the message. The caller must not change it or anything that it refers to.
func (e *Entry) Message() *abi.Message { return &e.message }

// List is an immutable list of messages. The zero value is the empty list.
type List struct{ entries []*Entry }

// Of makes a list of messages.
func Of(messages ...abi.Message) List {
	return List{entriesOf(messages)}
}

// entriesOf allocates all entries at once, because a history may have thousands of messages.
func entriesOf(messages []abi.Message) []*Entry {
	if len(messages) == 0 {
		return nil
	}
	slab := make([]Entry, len(messages))
	entries := make([]*Entry, len(messages))
	for i := range messages {
		slab[i].message = messages[i]
		entries[i] = &slab[i]
	}
	return entries
}

// Len returns the number of messages.
func (l List) Len() int { return len(l.entries) }

// At returns the message at index i, from 0. The caller must not change what it refers to.
func (l List) At(i int) abi.Message { return l.entries[i].message }

// Entry returns the entry at index i.
func (l List) Entry(i int) *Entry { return l.entries[i] }

// Last returns the last message; false if there is none.
func (l List) Last() (abi.Message, bool) {
	if len(l.entries) == 0 {
		return abi.Message{}, false
	}
	return l.entries[len(l.entries)-1].message, true
}

// LastAI returns the index of the last AI message; -1 if there is none.
func (l List) LastAI() int {
	for i, e := range slices.Backward(l.entries) {
		if e.message.Role == abi.RoleAI {
			return i
		}
	}
	return -1
}

// All yields the messages in order. The caller must not change what they refer to.
func (l List) All() iter.Seq2[int, *abi.Message] {
	return func(yield func(int, *abi.Message) bool) {
		for i, e := range l.entries {
			if !yield(i, &e.message) {
				return
			}
		}
	}
}

// Slice returns the messages from index from up to, not including, index to.
func (l List) Slice(from, to int) List { return List{l.entries[from:to:to]} }

// Messages returns the messages as a new slice.
func (l List) Messages() []abi.Message {
	out := make([]abi.Message, len(l.entries))
	for i, e := range l.entries {
		out[i] = e.message
	}
	return out
}

// Append returns a list with messages added after those of l. It does not change l.
func (l List) Append(messages ...abi.Message) List {
	return List{append(slices.Clip(l.entries), entriesOf(messages)...)}
}

// Replace returns a list with the messages at the given indexes replaced. It shares the others with l and does not change l.
func (l List) Replace(messages map[int]*abi.Message) List {
	out := List{slices.Clone(l.entries)}
	for i, m := range messages {
		out.entries[i] = &Entry{message: *m}
	}
	return out
}

// Tail returns the last n messages, or all if there are fewer.
func (l List) Tail(n int) List { return l.Slice(max(0, l.Len()-n), l.Len()) }

// Find returns the message with this id, looking from the end; false if there is none. The caller must not change it.
func (l List) Find(id string) (*abi.Message, bool) {
	if at := l.place(id); at >= 0 {
		return &l.entries[at].message, true
	}
	return nil, false
}

// place returns the index of the last message with this id; -1 if there is none.
func (l List) place(id string) int {
	for i, e := range slices.Backward(l.entries) {
		if e.message.ID == id && id != "" {
			return i
		}
	}
	return -1
}

// Apply returns the list after an update (see [Log.Apply]). Messages without an id get none.
func (l List) Apply(u *abi.Update) (List, error) {
	log := Log{list: l.Slice(0, l.Len()), born: make([]uint64, l.Len())}
	log, err := log.Apply(u, noIDs{})
	return log.list, err
}
