package sdk

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
)

// Levels of the log.
const (
	LogDebug = abi.LogDebug
	LogInfo  = abi.LogInfo
	LogWarn  = abi.LogWarn
	LogError = abi.LogError
)

// Log writes a line to the host's log: a message, followed by pairs of keys and values as in log/slog:
//
//	c.Log(sdk.LogInfo, "cache hit", "tool", name, "age", 3) // cache hit tool=search age=3
//
// A value is a boolean, int, int64, uint64, float64, string, error, or a [Raw] that holds one of these. Text with characters
// other than letters, digits and _-./: is quoted as in JSON. A float64 has at most six digits after the point.
func (c *Call) Log(level abi.LogLevel, message string, pairs ...any) {
	c.host.Log(level, line(message, pairs))
}

func line(message string, pairs []any) string {
	if len(pairs) == 0 {
		return message
	}
	b := []byte(message)
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok || i+1 == len(pairs) { // a value without a key
			b = appendText(append(b, " !BADKEY="...), pairs[i])
			i--
			continue
		}
		b = append(append(append(b, ' '), key...), '=')
		b = appendText(b, pairs[i+1])
	}
	return string(b)
}

// appendText appends the form of a value in a line.
func appendText(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendQuoted(b, v)
	case error:
		return appendQuoted(b, v.Error())
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case Raw:
		return appendRaw(b, v)
	default:
		return append(b, "!BADVALUE"...)
	}
}

func appendRaw(b []byte, raw Raw) []byte {
	if raw.IsNil() {
		return append(b, "null"...)
	}
	if text, ok := raw.AsString(); ok {
		return appendQuoted(b, text)
	}
	if yes, ok := raw.AsBool(); ok {
		return strconv.AppendBool(b, yes)
	}
	if n, ok := raw.AsInt(); ok {
		return strconv.AppendInt(b, n, 10)
	}
	if f, ok := raw.AsFloat(); ok {
		return appendFloat(b, f)
	}
	return append(b, raw.Type()...)
}

// appendFloat appends a number with at most six digits after the point. The exact form would take 15 KB in every guest.
func appendFloat(b []byte, f float64) []byte {
	const digits, scale, most = 6, 1e6, 1e12
	switch {
	case f != f:
		return append(b, "NaN"...)
	case f < 0:
		b, f = append(b, '-'), -f
	}
	exponent := 0
	for ; f >= most; exponent++ {
		if exponent > 300 {
			return append(b, "Inf"...)
		}
		f /= 10
	}
	if exponent > 0 {
		b = strconv.AppendUint(b, uint64(f+0.5), 10)
		return strconv.AppendInt(append(b, 'e'), int64(exponent), 10)
	}
	scaled := uint64(f*scale + 0.5)
	b = strconv.AppendUint(b, scaled/scale, 10)
	if rest := scaled % scale; rest != 0 {
		b = strconv.AppendUint(b, scale+rest, 10)
		b[len(b)-digits-1] = '.' // in place of the leading 1
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}

func appendQuoted(b []byte, text string) []byte {
	bare := text != ""
	for i := 0; bare && i < len(text); i++ {
		bare = isBare(text[i])
	}
	if bare {
		return append(b, text...)
	}
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' || c == ':'
}
