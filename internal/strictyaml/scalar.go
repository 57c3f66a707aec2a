package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/text"
)

func (d *decoder) decodeString(n *node, v reflect.Value, path string) {
	switch n.kind {
	case KindString:
		v.SetString(n.text)
	case KindBool, KindInteger, KindNumber:
		hint := "quote it: " + quote(n.text)
		if n.at.line == 0 { // an assignment: a shell takes the outer quotes away
			hint = "quote it, in a shell twice: '" + path + "=" + quote(n.text) + "'"
		}
		d.wrong(n, path, "a string", hint)
	default:
		d.wrong(n, path, "a string", "")
	}
}

func (d *decoder) decodeBool(n *node, v reflect.Value, path string) {
	if n.resolved() == KindBool {
		v.SetBool(boolValue(n.text))
		return
	}
	hint := ""
	if n.kind == KindString && !n.expanded {
		switch strings.ToLower(n.text) {
		case "yes", "on", "y", "true":
			hint = "write true without quotes"
		case "no", "off", "n", "false":
			hint = "write false without quotes"
		}
	}
	d.wrong(n, path, "true or false", hint)
}

func boolValue(text string) bool { return strings.EqualFold(text, "true") }

// integer reads the text of a whole number. If the text is not a whole number, it adds a problem and returns false.
func (d *decoder) integer(n *node, path string) (digits string, base int, ok bool) {
	if n.resolved() != KindInteger {
		hint := ""
		if !n.expanded && n.kind == KindString {
			bare := strings.NewReplacer("_", "", ",", "").Replace(n.text)
			switch {
			case classify(n.text) == KindInteger:
				hint = "remove the quotes"
			case classify(bare) == KindInteger:
				hint = "write " + bare
			default:
				if number, message := parseUnits(n.text, countUnits); message == "" {
					hint = "write " + strconv.FormatInt(number, 10) + ", because this key takes no unit"
				}
			}
		}
		d.wrong(n, path, "an integer", hint)
		return "", 0, false
	}
	switch {
	case strings.HasPrefix(n.text, "0x"):
		return n.text[2:], 16, true
	case strings.HasPrefix(n.text, "0o"):
		return n.text[2:], 8, true
	}
	unsigned := strings.TrimLeft(n.text, "+-")
	if len(unsigned) > 1 && unsigned[0] == '0' {
		// YAML 1.1 reads this as octal, YAML 1.2 as decimal
		d.problem(n, path, "integer "+cut(n.raw)+" starts with a zero", "write it without the zero, or quote it if it is a text")
		return "", 0, false
	}
	return strings.TrimPrefix(n.text, "+"), 10, true
}

func (d *decoder) decodeInt(n *node, v reflect.Value, path string) {
	digits, base, ok := d.integer(n, path)
	if !ok {
		return
	}
	value, err := strconv.ParseInt(digits, base, v.Type().Bits())
	if err != nil {
		bits := v.Type().Bits()
		d.outOfRange(n, path, fmt.Sprintf("%d and %d", int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)))
		return
	}
	v.SetInt(value)
}

func (d *decoder) decodeUint(n *node, v reflect.Value, path string) {
	digits, base, ok := d.integer(n, path)
	if !ok {
		return
	}
	value, err := strconv.ParseUint(digits, base, v.Type().Bits())
	if err != nil {
		d.outOfRange(n, path, fmt.Sprintf("0 and %d", uint64(math.MaxUint64)>>(64-v.Type().Bits())))
		return
	}
	v.SetUint(value)
}

func (d *decoder) outOfRange(n *node, path, limits string) {
	d.problem(n, path, "must be between "+limits+", found "+cut(n.raw), "")
}

func (d *decoder) decodeFloat(n *node, v reflect.Value, path string) {
	switch n.resolved() {
	case KindInteger:
		if _, _, ok := d.integer(n, path); !ok {
			return
		}
	case KindNumber:
	default:
		hint := ""
		if kind := classify(n.text); n.kind == KindString && !n.expanded && (kind == KindInteger || kind == KindNumber) {
			hint = "remove the quotes"
		}
		d.wrong(n, path, "a number", hint)
		return
	}
	text := n.text
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		whole, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			d.problem(n, path, "the number is too large", "")
			return
		}
		text = strconv.FormatUint(whole, 10)
	}
	value, err := strconv.ParseFloat(text, v.Type().Bits())
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		d.problem(n, path, "must be a finite number, found "+cut(n.raw), "")
		return
	}
	v.SetFloat(value)
}

func (d *decoder) decodeDuration(n *node, v reflect.Value, path string) {
	const expected = "a duration"
	switch n.resolved() {
	case KindInteger, KindNumber:
		if n.text == "0" {
			v.SetInt(0)
			return
		}
		hint := "add a unit: 30s, 500ms, 2m, 1h"
		if !n.expanded {
			hint = "add a unit: " + cut(n.text) + "s, or ms, m, h"
		}
		d.wrong(n, path, expected+" with a unit", hint)
	case KindString:
		value, err := time.ParseDuration(n.text)
		if err != nil {
			d.wrong(n, path, expected, "write a number and a unit (ns, us, ms, s, m, h): 30s, 1m30s")
			return
		}
		v.SetInt(int64(value))
	default:
		d.wrong(n, path, expected, "")
	}
}

// checkRules applies enum, min and max to a decoded value.
func (d *decoder) checkRules(n *node, v reflect.Value, path string, r rules) {
	if v.Kind() == reflect.String && len(r.enum) > 0 && !slices.Contains(r.enum, v.String()) {
		shown := quote(n.raw)
		hint := ""
		if near, ok := text.Nearest(v.String(), r.enum); ok && !n.expanded {
			hint = "did you mean " + quote(near) + "?"
		}
		d.problem(n, path, "must be "+oneOf(r.enum)+", found "+shown, hint)
	}
	for _, limit := range []struct {
		text, word string
		sign       int
	}{{r.min, "at least", -1}, {r.max, "at most", 1}} {
		if limit.text == "" {
			continue
		}
		order, err := compareTo(v, limit.text)
		if err != nil {
			d.mistake = err
			return
		}
		if order == limit.sign {
			d.problem(n, path, "must be "+limit.word+" "+limit.text+", found "+cut(n.raw), "")
		}
	}
}

func oneOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
