// Package manifest reads agenthost.yaml, the file that describes an agent, and builds the agent from it.
//
// A manifest is read strictly: an unknown key, a wrong type or an impossible value is an error with file, line, column, the line
// itself and a suggestion. ${NAME} and ${NAME:-default} expand to environment variables in every string, and errors never show
// their values. Paths are relative to the manifest.
//
// # Where to find what
//
//   - unknown keys: internal/strictyaml, collection.go; wrong types: decode.go and scalar.go; suggestions: internal/text, nearest.go
//   - the line of an error about the built agent: build.go (place); of an error of a middleware: middleware.go
//   - ${NAME} in strings: internal/strictyaml, env.go; env_file, and what overrides it: envfile.go
//   - --set: internal/strictyaml, set.go; what the commands for threads read: checkpoint.go
//   - agents as tools, and where they keep their threads: agenttool.go (openAgent)
//   - the settings of each provider, and under which names they are sent: provider.go; the keys of its models: providermapping.go
//   - the entries that a list may have: the file of the entry, such as tools.go or middleware.go
package manifest
