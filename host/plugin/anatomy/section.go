package anatomy

import (
	"strings"

	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// DescriptionSection is the name of the custom section that holds the result of the plugin's describe: the Description as
// canonical msgpack. A registry can read it without running the plugin. It is not binding: a host calls describe.
const DescriptionSection = "agenthost.description"

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
