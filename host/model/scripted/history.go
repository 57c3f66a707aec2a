package scripted

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// These are keys of the Meta of an answer of [Turns] with an ID: {scripted: {id: …, turn: …}}. Turns count from 1.
const (
	keyScripted = "scripted"
	keyID       = "id"
	keyTurn     = "turn"
)

// mark adds the number of a turn to the Meta of its answer.
func (t *Turns) mark(meta wire.Map, n int) wire.Map {
	return meta.With(wire.Map{{Key: keyScripted, Value: wire.Map{
		{Key: keyID, Value: wire.String(t.ID)}, {Key: keyTurn, Value: wire.Int(int64(n + 1))},
	}.Raw()}})
}

// shown returns how many turns of the script the history shows.
func (t *Turns) shown(req *model.Request) int {
	if t.ID == "" {
		return 0
	}
	for i := req.Messages.Len() - 1; i >= 0; i-- {
		m := req.Messages.At(i)
		var name string
		var turn int64
		for key, value := range m.Meta.Get(keyScripted).Pairs() {
			switch string(key) {
			case keyID:
				name, _ = value.AsString()
			case keyTurn:
				turn, _ = value.AsInt()
			}
		}
		if m.Role == abi.RoleAI && name == t.ID {
			return int(turn)
		}
	}
	return 0
}

// contains reports whether the history has a message with an id.
func contains(req *model.Request, id string) bool {
	for _, m := range req.Messages.All() {
		if m.ID == id {
			return true
		}
	}
	return false
}

// callPrefix is the beginning of the ids that [Rules] gives to calls.
const callPrefix = "call-"

// lastCall returns the highest number of a call in the history, or 0.
func lastCall(req *model.Request) (last int64) {
	for _, m := range req.Messages.All() {
		for i := range m.ToolCalls {
			if digits, ok := strings.CutPrefix(m.ToolCalls[i].ID, callPrefix); ok {
				if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
					last = max(last, n)
				}
			}
		}
	}
	return last
}
