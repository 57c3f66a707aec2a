package anatomy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// DescriptionSection is the name of the custom section that holds the result of the plugin's describe: the Description as
// canonical msgpack. A registry can read it without running the plugin. It is not binding: a host calls describe.
const DescriptionSection = "agenthost.description"

// ScriptSection is the name of the custom section that holds a script for an engine: the module is an interpreter, and the host
// passes the section's content to it as the input of _initialize.
const ScriptSection = "agenthost.script"

// producersSection is the name of the custom section that says what made the module.
const producersSection = "producers"

// IsDebug reports whether a custom section of this name is only for debuggers. The section "name" is not: the names of
// functions appear in the text of a trap.
func IsDebug(section string) bool {
	switch section {
	case "sourceMappingURL", "external_debug_info":
		return true
	default:
		return strings.HasPrefix(section, ".debug_") || strings.HasPrefix(section, "reloc..debug_")
	}
}

// Description returns the content of the module's [DescriptionSection]. It returns nil if there is no such section or more
// than one, or if the module would not be loaded.
func Description(module []byte) []byte {
	m, err := preflight.Check(module, preflight.Default())
	if err != nil {
		return nil
	}
	var found []byte
	for i := range m.Sections {
		if s := &m.Sections[i]; s.ID == preflight.SectionCustom && s.Name == DescriptionSection {
			if found != nil {
				return nil
			}
			found = content(module, s)
		}
	}
	return found
}

// CutScript returns the module without its [ScriptSection], and the content of that section; nil: it has none. A malformed module
// is returned as it is, and the preflight refuses it.
func CutScript(module []byte) (rest, script []byte, err error) {
	const header = 8
	if len(module) < header {
		return module, nil, nil
	}
	sections := wasmbin.NewPart(module, header, len(module))
	start, end := 0, 0
	for sections.More() {
		at := sections.At()
		id, size := sections.Byte(), sections.U32()
		part := sections.Part(int(size))
		if id != preflight.SectionCustom || part.Name("section", len(ScriptSection)) != ScriptSection || part.Err() != nil {
			continue
		}
		if end > 0 {
			return nil, nil, fmt.Errorf("it has more than one section %s", ScriptSection)
		}
		start, end, script = at, sections.At(), slices.Clone(part.Bytes(part.Left()))
	}
	if end == 0 || sections.Err() != nil {
		return module, nil, nil
	}
	return slices.Concat(module[:start], module[end:]), script, nil
}

// WithScript returns the module of an engine, such as sdk/js/engine.wasm, with a script for it, in place of any other.
func WithScript(engine, script []byte) ([]byte, error) {
	rest, _, err := CutScript(engine)
	if err != nil {
		return nil, err
	}
	return slices.Concat(rest, wasmbin.Custom(ScriptSection, script...)), nil
}
