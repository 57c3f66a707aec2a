package strictyaml

// Option changes how a file is read.
type Option func(*options)

type options struct {
	lookup   func(string) (string, bool)
	secret   func(path []string, value string) bool
	set      []string
	setFlag  string // "": --set
	long     func(path, text string) []Pair
	maxBytes int64
}

// WithEnv expands ${NAME} and ${NAME:-default} in every string that is a value, not in keys; $$ stands for one $. The
// default applies if lookup does not know the name or returns an empty text. A name that is unknown to lookup and has no default is a
// problem. A problem never shows the value of a variable.
//
// An expanded value stays a string, with one exception: if it is written without quotes, and the target is a number, boolean, duration
// or size, it is read as one.
func WithEnv(lookup func(name string) (string, bool)) Option {
	return func(o *options) { o.lookup = lookup }
}

// WithSet applies assignments from the command line on top of the file, in their order:
//
//	model.name=x                    creates the mappings that are missing
//	middleware[0].config={a: 1}     an index counts from 0; the one after the last appends
//	grant["http.fetch"]=[a, b]      a key that is not a plain name
//
// A value that starts with [, {, " or ' is read as YAML; any other value is taken literally up to the end, and is a
// number, boolean or null if it looks like one. Problems of a value show the assignment instead of a line.
func WithSet(assignments []string) Option {
	return func(o *options) { o.set = append(o.set, assignments...) }
}

// WithSetFlag names the flag that the assignments come from in their problems. The default is --set.
func WithSetFlag(name string) Option {
	return func(o *options) { o.setFlag = name }
}

// Pair is a key with a text, or without a value if Text is "".
type Pair struct{ Key, Text string }

// WithShortForms lets an assignment go into a text that is short for a mapping: the function returns the mapping that a text at a path
// stands for, or nil.
func WithShortForms(long func(path, text string) []Pair) Option {
	return func(o *options) { o.long = long }
}

// WithSecrets names the keys that hold secrets: the function reports whether the text, number or boolean at a path of keys, without the
// indexes of lists, is a secret. No problem then shows the value, neither in its message nor in the line of the file, unless it is a
// variable. In a file with a mistake in its syntax, the function gets the paths that the words of a line may stand for, and "" as the value.
//
// Passwords and keys in URLs are never shown, with or without this option.
func WithSecrets(secret func(path []string, value string) bool) Option {
	return func(o *options) { o.secret = secret }
}

// WithMaxBytes sets the largest file that is read, in bytes. The default is 1 MiB.
func WithMaxBytes(n int64) Option {
	return func(o *options) { o.maxBytes = n }
}
