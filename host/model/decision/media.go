package decision

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// media takes images and other media out of a state, because a chat model reads the state as text.
type media struct {
	taken map[string]bool // the types of blocks that the model takes
	seen  []abi.Block     // what the model sees in addition to the text: each block after its name
}

func mediaOf(info model.Info) *media {
	return &media{taken: map[string]bool{
		abi.BlockImage: info.Images == model.SupportYes, abi.BlockFile: info.Files == model.SupportYes, abi.BlockAudio: info.Audio == model.SupportYes,
	}}
}

// without returns a value with a name in place of each block of media.
func (m *media) without(value wire.Raw) (wire.Raw, error) {
	switch {
	case value.IsArray():
		out := make([]any, 0, value.Len())
		for item := range value.Elements() {
			item, err := m.without(item)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return wire.Of(out)
	case value.IsMap():
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(value); err != nil {
			return nil, err
		}
		if name, ok := m.name(abi.BlockOf(fields)); ok {
			return wire.String(name), nil
		}
		for i := range fields {
			var err error
			if fields[i].Value, err = m.without(fields[i].Value); err != nil {
				return nil, err
			}
		}
		return fields.Raw(), nil
	default:
		return value, nil
	}
}

// name returns the name of a block of media, and adds the block to what the model sees if it takes such blocks.
func (m *media) name(block abi.Block) (name string, ok bool) {
	switch kind := block.Type(); {
	case !block.IsMedia():
		return "", false
	case block.Data() == nil && block.String("url") == "" && block.String("file_id") == "":
		return "", false
	case !m.taken[kind]:
		return "[" + kind + " omitted]", true
	default:
		name = fmt.Sprintf("[%s %d]", kind, len(m.seen)/2+1)
		m.seen = append(m.seen, abi.TextBlock(name), block)
		return name, true
	}
}
