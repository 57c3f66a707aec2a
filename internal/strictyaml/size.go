package strictyaml

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes: 64MiB, 10MB, or a plain number of bytes. The units are B, kB, MB, GB, TB (powers of
// 1000) and KiB, MiB, GiB, TiB (powers of 1024); the number is whole and not negative.
type Size int64

// Count is a large number: 1G, 10k, or plain. The units k, M, G and T are powers of 1000; the
// number is whole and not negative.
type Count int64

type unit struct {
	name   string
	factor int64
}

var (
	sizeUnits = []unit{
		{"TiB", 1 << 40},
		{"GiB", 1 << 30},
		{"MiB", 1 << 20},
		{"KiB", 1 << 10},
		{"TB", 1e12},
		{"GB", 1e9},
		{"MB", 1e6},
		{"kB", 1e3},
		{"B", 1},
	}
	countUnits = []unit{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}}
)

const (
	sizeHint  = "write a whole number and a unit: 64MiB, 10MB, 512KiB"
	countHint = "write a whole number, optionally followed by k, M, G or T: 10k, 1G"
)

// String returns the shortest exact form: 64MiB, 1500B.
func (s Size) String() string { return withUnit(int64(s), sizeUnits[:4], "B") }

// String returns the shortest exact form: 10k, 1500.
func (c Count) String() string { return withUnit(int64(c), countUnits, "") }

// UnmarshalStrict implements [Unmarshaler].
func (s *Size) UnmarshalStrict(n Node) error {
	return n.decodeUnits((*int64)(s), "a size", sizeHint, sizeUnits)
}

// UnmarshalStrict implements [Unmarshaler].
func (c *Count) UnmarshalStrict(n Node) error {
	return n.decodeUnits((*int64)(c), "a count", countHint, countUnits)
}

func (n Node) decodeUnits(into *int64, expected, hint string, units []unit) error {
	if n.n == nil {
		return mistakef("there is no value to decode")
	}
	d := decoder{secrets: n.secrets}
	value, message := parseUnits(n.n.text, units)
	switch kind := n.n.resolved(); {
	case kind != KindInteger && kind != KindString || message == notUnits:
		if near := nearUnits(n.n, units); near != "" {
			hint = near
		}
		d.wrong(n.n, n.path, expected, hint)
	case message != "":
		d.problem(n.n, n.path, expected+" "+message+", found "+cut(n.n.raw), "")
	default:
		*into = value
	}
	return d.found.err()
}

const notUnits = "not a number with a unit"

// parseUnits reads a whole number with or without a unit. If the text is not one, it returns a message that says why.
func parseUnits(text string, units []unit) (value int64, message string) {
	digits, factor := text, int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			digits, factor = strings.TrimSuffix(rest, " "), u.factor
			break
		}
	}
	if negative, ok := strings.CutPrefix(digits, "-"); ok && classify(negative) == KindInteger {
		return 0, "must not be negative"
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil && (digits == "" || strings.Trim(digits, "0123456789") != ""):
		return 0, notUnits
	case err != nil || number > uint64(math.MaxInt64/factor):
		return 0, "must be at most " + withUnit(math.MaxInt64/units[0].factor*units[0].factor, units[:1], "")
	}
	return int64(number) * factor, ""
}

// nearUnits suggests a unit for common misspellings: 64M, 64mb, 10K.
func nearUnits(n *node, units []unit) string {
	number := strings.TrimRight(n.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	letters := strings.ToLower(n.text[len(number):])
	number = strings.TrimSpace(number)
	if n.expanded || letters == "" || classify(number) != KindInteger || len(number) > maxShownValue {
		return ""
	}
	var near []string
	for _, u := range units {
		if name := strings.ToLower(u.name); name == letters || name == letters+"b" || name == letters+"ib" {
			near = append(near, number+u.name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	return "write " + strings.Join(near, " or ")
}

func withUnit(value int64, units []unit, one string) string {
	for _, u := range units {
		if value != 0 && value%u.factor == 0 {
			return strconv.FormatInt(value/u.factor, 10) + u.name
		}
	}
	return strconv.FormatInt(value, 10) + one
}

// compareTo compares a decoded number with a limit written in a tag. The limit is in the
// field's own notation: 1, 0.5, 10s, 64MiB.
func compareTo(v reflect.Value, limit string) (int, error) {
	mistake := mistakef("the limit %q does not fit %s", limit, v.Type())
	switch value := v.Interface().(type) {
	case time.Duration:
		if d, err := time.ParseDuration(limit); err == nil {
			return cmp.Compare(value, d), nil
		}
		return 0, mistake
	case Size, Count:
		units := countUnits
		if v.Type() == reflect.TypeFor[Size]() {
			units = sizeUnits
		}
		if number, message := parseUnits(limit, units); message == "" {
			return cmp.Compare(v.Int(), number), nil
		}
		return 0, mistake
	}
	switch {
	case v.CanInt():
		if number, err := strconv.ParseInt(limit, 10, 64); err == nil {
			return cmp.Compare(v.Int(), number), nil
		}
	case v.CanUint():
		if number, err := strconv.ParseUint(limit, 10, 64); err == nil {
			return cmp.Compare(v.Uint(), number), nil
		}
	case v.CanFloat():
		if number, err := strconv.ParseFloat(limit, 64); err == nil {
			return cmp.Compare(v.Float(), number), nil
		}
	}
	return 0, mistake
}
