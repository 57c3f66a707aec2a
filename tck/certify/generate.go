package certify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// strangeTexts are texts that programs may handle wrongly.
var strangeTexts = []string{
	"", " ", "ascii", "Grüße", "👩‍👩‍👧‍👦🏳️‍🌈", "a\x00b", "\x1b[31mred\x1b[0m", "one\ntwo\r\n\ttab",
	"\u202eright to left\u202c", "\ufeffmark", "e\u0301", "\U0010ffff", "'; DROP TABLE--", `{"json": [1, null]}`,
	"${secret:X}", "%s%n%x", "../../etc/passwd", "mail me: jane@example.com",
}

// words returns a text of at least n letters.
func words(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n || b.Len() == 0 {
		if rng.IntN(3) == 0 {
			b.WriteString(strangeTexts[rng.IntN(len(strangeTexts))])
		}
		b.WriteString("lorem ipsum dolor sit amet "[rng.IntN(8):])
	}
	return b.String()
}

// anyValue returns a value of any type that a document can hold.
func anyValue(rng *rand.Rand, depth int) any {
	kinds := 11
	if depth > 4 {
		kinds = 9
	}
	switch rng.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return []int64{0, -1, 127, 128, -129, math.MaxInt64, math.MinInt64}[rng.IntN(7)]
	case 3:
		return uint64(math.MaxUint64) - uint64(rng.IntN(2))
	case 4:
		return []float64{0, math.Copysign(0, -1), 0.1, 1e300, math.SmallestNonzeroFloat64, -math.MaxFloat64}[rng.IntN(6)]
	case 5:
		return float32(rng.Float64())
	case 6, 7:
		return strangeTexts[rng.IntN(len(strangeTexts))]
	case 8:
		return []byte{0, 0xff, byte(rng.IntN(256))}
	case 9:
		list := make([]any, rng.IntN(4))
		for i := range list {
			list[i] = anyValue(rng, depth+1)
		}
		return list
	default:
		m := map[string]any{}
		for range rng.IntN(4) {
			m[strangeTexts[rng.IntN(len(strangeTexts))]] = anyValue(rng, depth+1)
		}
		return m
	}
}

// value encodes a value that has a msgpack form.
func value(v any) wire.Raw {
	raw, err := wire.Of(v)
	if err != nil {
		panic("tck: " + err.Error())
	}
	return raw
}

// strangeMap returns a map with values of all types.
func strangeMap(rng *rand.Rand) wire.Map {
	m, err := wire.MapOf(map[string]any{
		"any": anyValue(rng, 0), "bytes": []byte{0, 0xff}, "float": 1.5, "least": int64(math.MinInt64), "most": uint64(math.MaxUint64),
		"nothing": nil, "short": float32(0.1), "text": "Grüße", "zero": math.Copysign(0, -1), "": "",
	})
	if err != nil {
		panic("tck: " + err.Error())
	}
	return m
}

// strangeBlocks returns content with kinds of blocks that a guest may not know.
func strangeBlocks(rng *rand.Rand) abi.Content {
	return abi.Blocks(
		abi.TextBlock("a"),
		abi.ImageBlock("image/png", []byte{0x89, 0, 0xff}),
		abi.ImageURLBlock("https://example.com/x.png"),
		abi.FileBlock("a.bin", "application/octet-stream", []byte{0xc1, 0xc1}),
		abi.ReasoningBlock("", "signature=="),
		abi.BlockOf(strangeMap(rng).With(wire.Map{{Key: "type", Value: wire.String("block_of_tomorrow")}})),
		abi.BlockOf(wire.Map{{Key: "cache_control", Value: value(map[string]any{"type": "x"})}, {Key: "text", Value: wire.String("b")}, {
			Key: "type", Value: wire.String("text"),
		}}),
		abi.TextBlock(""),
	)
}

// conversation returns a history of about n messages as runs leave it: each message has an id, and most tool calls are
// answered.
func conversation(rng *rand.Rand, n int) []abi.Message {
	var list []abi.Message
	add := func(m abi.Message) {
		m.ID = fmt.Sprintf("m%d", len(list)+1)
		list = append(list, m)
	}
	for len(list) < n {
		add(abi.Human(words(rng, rng.IntN(60))))
		if rng.IntN(4) == 0 {
			add(abi.Message{Role: abi.RoleHuman, Content: strangeBlocks(rng), Name: "jane", Meta: strangeMap(rng)})
		}
		ai := abi.AI(words(rng, rng.IntN(40)))
		if rng.IntN(2) == 0 {
			ai.Content = abi.Content{}
			ai.InvalidToolCalls = []abi.InvalidToolCall{{Args: "{broken", Error: "unexpected end", ID: "", Name: "search"}}
		}
		ai.Usage = &abi.Usage{InputTokens: rng.Uint64(), OutputTokens: 1}
		for k := range rng.IntN(3) {
			ai.ToolCalls = append(ai.ToolCalls, abi.ToolCall{
				ID: fmt.Sprintf("call-%d-%d", len(list), k), Name: "search", Args: wire.Map{{Key: "q", Value: value(anyValue(rng, 1))}}.Raw(),
			})
		}
		add(ai)
		for _, call := range ai.ToolCalls {
			answer := abi.ToolResult(call, words(rng, rng.IntN(40)))
			if rng.IntN(3) == 0 {
				answer = abi.ToolFailure(call, "it failed")
				answer.Artifact = value(anyValue(rng, 0))
			}
			add(answer)
		}
		if rng.IntN(6) == 0 {
			add(abi.System("Be brief."))
		}
	}
	return list
}

// fieldValue returns a valid value of a field, or false if it finds none.
func fieldValue(rng *rand.Rand, spec *abi.FieldSpec) (wire.Raw, bool) {
	if !spec.Schema.IsZero() {
		return conforming(rng, spec.Schema, true)
	}
	switch spec.Reducer {
	case "add":
		if rng.IntN(2) == 0 {
			return wire.Float(rng.NormFloat64()), true
		}
		return wire.Int(rng.Int64() - math.MaxInt64/2), true
	case "append":
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, anyValue(rng, 1))
		}
		return value(list), true
	default:
		return value(anyValue(rng, 0)), true
	}
}

// deepInMessage is the depth of a guest's value in a message: as deep as another guest can copy it into a result.
const deepInMessage = 60

// nested returns a value of depth arrays and maps inside each other.
func nested(depth int) wire.Raw {
	var b []byte
	for i := range depth {
		if i%2 == 0 {
			b = wire.AppendArrayHeader(b, 1)
		} else {
			b = wire.AppendString(wire.AppendMapHeader(b, 1), "d")
		}
	}
	return wire.AppendString(b, "deep")
}
