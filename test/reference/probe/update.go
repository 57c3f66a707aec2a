package probe

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// removeAll is the id of a removal that removes all messages before it.
const removeAll = "*"

// updates collects the state updates of one call.
type updates struct {
	update abi.Update
	made   bool
}

// add merges a state update of the file: its messages follow the earlier ones, and its fields replace the earlier ones.
func (u *updates) add(raw wire.Raw, n uint64, path string) error {
	return u.addLiterally(number(raw, n), path)
}

// addLiterally merges a state update unchanged.
func (u *updates) addLiterally(raw wire.Raw, path string) error {
	o := strict.Open(raw, path)
	u.made = true
	for _, m := range o.Objects("messages") {
		u.message(m)
	}
	for _, key := range o.Keys() {
		if key != "messages" {
			u.update.State.Set(key, o.Raw(key))
		}
	}
	return o.Done()
}

// message adds a message or a removal. The last entry of the list for an id counts.
func (u *updates) message(o *strict.Object) {
	if role, _ := o.Raw("role").AsString(); role != "remove" {
		m := Message(o)
		if m.ID != "" {
			u.update.Remove = without(u.update.Remove, m.ID)
		}
		u.update.Messages = append(u.update.Messages, m)
		return
	}
	o.Need("id")
	id := o.Text("id")
	_ = o.Done()
	if id == removeAll {
		u.update.Overwrite, u.update.Messages, u.update.Remove = true, nil, nil
		return
	}
	kept := slices.DeleteFunc(slices.Clone(u.update.Messages), func(m abi.Message) bool { return m.ID == id })
	if gone := len(kept) < len(u.update.Messages); gone || u.update.Overwrite {
		u.update.Messages = kept
		return
	}
	u.update.Remove = append(u.update.Remove, id)
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(other string) bool { return other == id })
}

func (u *updates) set(field string, value wire.Raw) {
	u.made = true
	u.update.State.Set(field, value)
}

// result returns the whole update, or nil if there is none.
func (u *updates) result() *abi.Update {
	if !u.made {
		return nil
	}
	return &u.update
}

// ReadUpdate reads a state update of the file.
func ReadUpdate(raw wire.Raw, path string) (*abi.Update, error) {
	var u updates
	if err := u.addLiterally(raw, path); err != nil {
		return nil, err
	}
	return &u.update, nil
}
