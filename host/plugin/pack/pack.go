package pack

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Pack returns the module without its debug sections, see [anatomy.IsDebug], and with the description in the section
// [anatomy.DescriptionSection], replacing any existing ones. description is what describe returned, as canonical msgpack.
// All other bytes stay the same, so that the module behaves as before, and packing again changes nothing.
//
// The error is a [*preflight.Error] if the module would not be loaded.
func Pack(module, description []byte) ([]byte, error) {
	m, err := preflight.Check(module, preflight.Default())
	if err != nil {
		return nil, err
	}
	const header = 8
	out, at := slices.Clone(module[:header]), header
	for _, s := range m.Sections {
		if s.ID != preflight.SectionCustom || !dropped(s.Name) {
			out = append(out, module[at:s.End]...)
		}
		at = s.End
	}
	content := append(wasmbin.AppendName(nil, anatomy.DescriptionSection), description...)
	out = wasmbin.AppendSized(append(out, preflight.SectionCustom), content)
	// A larger module may be refused, and so may a smaller one, since the limit on its compile time depends on its size.
	if _, err := preflight.Check(out, preflight.Default()); err != nil {
		return nil, fmt.Errorf("the module can be loaded as it is, but not once it is packed: %w", err)
	}
	return out, nil
}

// dropped reports whether a custom section of this name is removed.
func dropped(section string) bool {
	return section == anatomy.DescriptionSection || anatomy.IsDebug(section)
}
