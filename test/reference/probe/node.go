package probe

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
)

// Node performs a call of a node hook.
func (h *Hook) Node(c Call) (*abi.Update, error) {
	var u updates
	err := h.perform(c.N(), func(place int, a *action) error { return a.node(c, &u, strconv.Itoa(place)) })
	if err != nil {
		return nil, err
	}
	return u.result(), nil
}

func (a *action) node(c Call, u *updates, key string) error {
	switch a.kind {
	case doLog:
		c.Log(line(c, a.text, nil))
	case doUpdate:
		return u.add(a.value, c.N(), "update")
	case doIncrement:
		value, err := increased(c.State(a.field), a.value)
		if err != nil {
			return err
		}
		u.set(a.field, value)
	case doJump:
		u.made, u.update.JumpTo = true, a.target
	case doInterrupt:
		answer, err := c.Interrupt(key, a.value)
		if err != nil {
			return err
		}
		if a.field != "" {
			u.set(a.field, answer)
		}
	case doRaise:
		return a.failure
	default: // actions of wrap hooks; the parser refuses them here
	}
	return nil
}
