package abi

import "github.com/agenthost/agenthost/abi/wire"

// NameList is a list of names that distinguishes an absent list, which is nil, from an empty one.
type NameList []string

// IsZero reports whether no list was given.
func (l NameList) IsZero() bool { return l == nil }

// MarshalMsg appends the list.
func (l NameList) MarshalMsg(dst []byte) ([]byte, error) {
	return wire.AppendValue(dst, []string(l))
}

// UnmarshalMsg decodes an array of strings.
func (l *NameList) UnmarshalMsg(b []byte) ([]byte, error) {
	var raw wire.Raw
	rest, err := raw.UnmarshalMsg(b)
	if err != nil {
		return b, err
	}
	items, ok := raw.Items()
	if !ok {
		return b, &DocumentError{Document: "list of names", Reason: "must be an array of strings"}
	}
	list := make(NameList, 0, len(items))
	for _, item := range items {
		name, ok := item.AsString()
		if !ok {
			return b, &DocumentError{Document: "list of names", Reason: "must be an array of strings"}
		}
		list = append(list, name)
	}
	*l = list
	return rest, nil
}

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (l NameList) Msgsize() int {
	n := 5
	for _, name := range l {
		n += 5 + len(name)
	}
	return n
}
