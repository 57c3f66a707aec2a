// Package strictyaml reads YAML files that people write, such as agenthost.yaml, into Go structs. It is strict, so that no
// mistake is silently dropped, and its errors show the line, point at the place and say how to correct it:
//
//	agenthost.yaml:7:7: middleware[2].tool_call_limit: unknown key "run_limt"
//	  7 |       run_limt: 3
//	    |       ^
//	  did you mean "run_limit"?
//
// # Reading a file
//
// [Decode] fills a struct whose fields name their keys in a yaml tag. A strict tag adds rules:
//
//	type Limit struct {
//		ToolName string        `yaml:"tool_name" strict:"required"`
//		RunLimit int           `yaml:"run_limit" strict:"min=1,max=1000"`
//		Exit     string        `yaml:"exit_behavior" strict:"enum=continue|end|error"`
//		Window   time.Duration `yaml:"window" strict:"optional"`
//		Breaker  Node          `yaml:"breaker" strict:"unsupported"`
//		hidden   int
//		Runtime  any           `yaml:"-"`
//	}
//
// required: the key must be given. optional: null means "not given"; elsewhere null is an error, except for pointers, any and [Node].
// enum: one of these strings, also for every entry of a list or mapping. min, max: in the field's own notation.
// unsupported: the key belongs to a later version, and an error says so if it is used. Embedded structs are inlined.
//
// Values are strings, booleans, integers, floats, time.Duration (30s), [Size] (64MiB), [Count] (10k), slices, maps with string
// keys, [OrderedMap], structs, pointers to them, and any (map[string]any, []any, int64, float64, string, bool, nil). Nothing is
// converted: a string that looks like a number must be quoted, a duration must have its unit.
//
// # Beyond structs
//
// A [Node] is a value that is decoded later, for example a middleware's config once the middleware is known. [Node.Errorf] shows an
// even later error at the place of the value. A type that implements [Unmarshaler] or [FuncUnmarshaler] decodes
// itself, and one that implements [Checker] checks rules that tags cannot express. [Join] merges all their errors.
//
// [WithEnv] expands variables in strings. A problem never shows their values, nor those of keys that [WithSecrets] names. [WithSet]
// applies assignments from the command line.
//
// # Which YAML is read
//
// YAML 1.2 with its core schema: yes and on are strings. Anchors, aliases and << are resolved. Not supported: several documents in a
// file, directives, tags other than those of the core schema, keys that are not scalars, keys of more than 1,024 characters
// without a "?" before them, numbers that start with a zero. A file has at most 1 MiB ([WithMaxBytes]), 100,000
// values after aliases are resolved, and 100 levels.
//
// # Where to find what
//
//   - which YAML is read: parse.go, convert.go, scalar.go; how large a file may be: source.go, tree.go; errors of the syntax: syntax.go
//   - unknown keys: collection.go; wrong types: decode.go; the rules of strict tags: rules.go; durations, sizes, counts: size.go
//   - ${NAME}: env.go; --set: set.go; what an error shows: error.go, source.go; what it hides: secret.go, hidden.go, and in a file that
//     cannot be read guess.go
//   - the JSON Schema of a struct: schema.go
package strictyaml
