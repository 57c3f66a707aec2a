package strictyaml

import (
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Kind is the kind of a YAML value.
type Kind uint8

// The kinds of YAML's core schema. yes, on and 1_000 are strings, as in YAML 1.2.
const (
	// KindInvalid is the kind of the zero Node, which has no value.
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindInteger
	// KindNumber is a number with a fraction or an exponent.
	KindNumber
	KindString
	KindList
	KindMap
)

var kindNames = [...]string{"nothing", "null", "boolean", "integer", "number", "string", "a list", "a mapping"}

// String returns the name that messages use.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindInvalid]
}

// scalar reports whether a value of this kind is written as one text.
func (k Kind) scalar() bool { return k >= KindNull && k <= KindString }

var (
	integerText = lazyregexp.New(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	numberText  = lazyregexp.New(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
)

// classify returns the kind of an unquoted text in YAML 1.2's core schema.
func classify(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return KindNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return KindBool
	case ".nan", ".NaN", ".NAN":
		return KindNumber
	}
	switch strings.TrimLeft(text, "+-") {
	case ".inf", ".Inf", ".INF":
		return KindNumber
	}
	switch {
	case integerText().MatchString(text):
		return KindInteger
	case numberText().MatchString(text):
		return KindNumber
	}
	return KindString
}
