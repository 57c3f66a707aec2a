package wire

// Limits bound what [Validate] accepts. A field of 0 means the value of [DefaultLimits].
type Limits struct {
	MaxBytes int // length of the document, in bytes
	MaxDepth int // nesting of arrays and maps; a scalar has depth 0
	MaxNodes int // number of values in the document, not counting map keys
}

// DefaultLimits are the limits of a document when nothing else is configured. A decoder that makes Go values
// allocates at most a few hundred bytes for each value. MaxNodes therefore also bounds the memory that a hostile
// document can cost to a few dozen megabytes.
var DefaultLimits = Limits{MaxBytes: 4 << 20, MaxDepth: 64, MaxNodes: 1 << 17}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultLimits.MaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultLimits.MaxDepth
	}
	if l.MaxNodes <= 0 {
		l.MaxNodes = DefaultLimits.MaxNodes
	}
	return l
}
