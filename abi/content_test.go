package abi_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// unhex decodes hex digits, which may have blanks between them.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	require.NoError(t, err)
	return b
}

func marshal(t testing.TB, doc interface {
	MarshalMsg(dst []byte) ([]byte, error)
},
) []byte {
	t.Helper()
	b, err := doc.MarshalMsg(nil)
	require.NoError(t, err)
	return b
}

func block(values map[string]any) abi.Block { return abi.BlockOf(mapOf(values)) }

func TestContentIsAStringWhereItCanBe(t *testing.T) {
	t.Parallel()
	image := abi.ImageURLBlock("u")
	for _, tc := range []struct {
		name    string
		content abi.Content
		json    string
		isText  bool
		text    string
		blocks  int
	}{
		{"nothing", abi.Content{}, `""`, true, "", 0},
		{"the empty text", abi.Text(""), `""`, true, "", 0},
		{"a text", abi.Text("hi"), `"hi"`, true, "hi", 1},
		{"no blocks", abi.Blocks(), `""`, true, "", 0},
		{"an empty text block", abi.Blocks(abi.TextBlock("")), `""`, true, "", 0},
		{"a text block", abi.Blocks(abi.TextBlock("hi")), `"hi"`, true, "hi", 1},
		{"a text block with another key", abi.Blocks(block(map[string]any{"type": "text", "text": "hi", "lang": "en"})), `[{"lang":"en","text":"hi","type":"text"}]`, false, "hi", 1},
		{"a text block without text", abi.Blocks(block(map[string]any{"type": "text"})), `[{"type":"text"}]`, false, "", 1},
		{"a text block whose text is a number", abi.Blocks(block(map[string]any{"type": "text", "text": 1})), `[{"text":1,"type":"text"}]`, false, "", 1},
		{"two text blocks", abi.Blocks(abi.TextBlock("a"), abi.TextBlock("b")), `[{"text":"a","type":"text"},{"text":"b","type":"text"}]`, false, "ab", 2},
		{"texts around an image", abi.Blocks(abi.TextBlock("a"), image, abi.TextBlock("b")), `[{"text":"a","type":"text"},{"type":"image","url":"u"},{"text":"b","type":"text"}]`, false, "ab", 3},
		{"a reasoning block is not text", abi.Blocks(abi.ReasoningBlock("why", "")), `[{"reasoning":"why","type":"reasoning"}]`, false, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.isText, tc.content.IsText())
			require.Equal(t, tc.text == "" && tc.isText, tc.content.IsZero())
			require.Equal(t, tc.text, tc.content.Text())
			require.Len(t, tc.content.Blocks(), tc.blocks)

			b := marshal(t, tc.content)
			require.JSONEq(t, tc.json, wire.Raw(b).JSON())
			require.LessOrEqual(t, len(b), tc.content.Msgsize())

			back := abi.Text("left over")
			rest, err := back.UnmarshalMsg(append(b, 0xc0))
			require.NoError(t, err)
			require.Equal(t, []byte{0xc0}, rest)
			require.Equal(t, tc.content, back)
		})
	}
}

func TestContentDecodesBothForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hex string
		want      abi.Content
	}{
		{"nil is the empty text", "c0", abi.Content{}},
		{"an empty array is the empty text", "90", abi.Content{}},
		{"a string", "a2 6869", abi.Text("hi")},
		{"a long string head", "d9 02 6869", abi.Text("hi")},
		{"one plain text block", "91 82 a4 74657874 a2 6869 a4 74797065 a4 74657874", abi.Text("hi")},
		{"one plain text block with its keys the other way round", "91 82 a4 74797065 a4 74657874 a4 74657874 a2 6869", abi.Text("hi")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var c abi.Content
			rest, err := c.UnmarshalMsg(unhex(t, tc.hex))
			require.NoError(t, err)
			require.Empty(t, rest)
			require.Equal(t, tc.want, c)
		})
	}
}

func TestContentRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, err string }{
		{"a number", "01", "content: must be a string or an array of blocks"},
		{"bytes", "c4 00", "content: must be a string or an array of blocks"},
		{"a map", "80", "content: must be a string or an array of blocks"},
		{"an array of strings", "91 a1 61", "content: a block must be a map: msgpack: at byte 0: a map is expected"},
		{"a block of nil", "91 c0", `content: a block needs the key "type"`},
		{"a block without type", "91 81 a4 74657874 a0", `content: a block needs the key "type"`},
		{"a block whose type is a number", "91 81 a4 74797065 01", `content: a block needs the key "type"`},
		{"a block with a key twice", "91 82 a1 61 01 a1 61 02", `content: a block must be a map: msgpack: at byte 0: the key "a" appears twice in one map`},
		{"bytes that were not validated", "dd ffffffff", "msgpack: at byte 0: the value claims more elements than the document has bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var c abi.Content
			_, err := c.UnmarshalMsg(unhex(t, tc.hex))
			require.EqualError(t, err, tc.err)
			require.True(t, c.IsZero())
		})
	}
}

func TestContentKeepsBlocksByteForByte(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex string }{
		{"an unknown kind", "91 82 a4 74797065 a1 78 a1 7a 93 01 c4 01 ff cb 3ff0000000000000"},
		{"unknown keys of a known kind", "91 83 a1 61 81 a1 62 ca 3fc00000 a4 74657874 a2 6869 a4 74797065 a4 74657874"},
		{"a value that is not canonical", "91 82 a1 61 82 a1 62 cd 0001 a1 61 02 a4 74797065 a1 78"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := unhex(t, tc.hex)
			var c abi.Content
			_, err := c.UnmarshalMsg(b)
			require.NoError(t, err)
			require.Equal(t, b, marshal(t, c))

			m := abi.Message{Role: abi.RoleAI, Content: c}
			var back abi.Message
			_, err = back.UnmarshalMsg(marshal(t, &m))
			require.NoError(t, err)
			require.Equal(t, b, marshal(t, back.Content))
		})
	}
}

func TestContentAppend(t *testing.T) {
	t.Parallel()
	image := abi.ImageURLBlock("u")
	tagged := block(map[string]any{"type": "text", "text": "a", "lang": "en"})
	for _, tc := range []struct {
		name       string
		a, b, want abi.Content
	}{
		{"nothing to nothing", abi.Content{}, abi.Content{}, abi.Content{}},
		{"a text to nothing", abi.Content{}, abi.Text("b"), abi.Text("b")},
		{"nothing to a text", abi.Text("a"), abi.Content{}, abi.Text("a")},
		{"a text to a text", abi.Text("a"), abi.Text("b"), abi.Text("ab")},
		{"blocks to nothing", abi.Content{}, abi.Blocks(image), abi.Blocks(image)},
		{"nothing to blocks", abi.Blocks(image), abi.Content{}, abi.Blocks(image)},
		{"blocks to a text", abi.Text("a"), abi.Blocks(image), abi.Blocks(abi.TextBlock("a"), image)},
		{"blocks to blocks", abi.Blocks(image), abi.Blocks(image, abi.TextBlock("b")), abi.Blocks(image, image, abi.TextBlock("b"))},
		{"a text to blocks that end with an image", abi.Blocks(image), abi.Text("b"), abi.Blocks(image, abi.TextBlock("b"))},
		{"a text to blocks that end with a text", abi.Blocks(image, abi.TextBlock("a")), abi.Text("b"), abi.Blocks(image, abi.TextBlock("ab"))},
		{"a text to a text block with more keys", abi.Blocks(tagged), abi.Text("b"), abi.Blocks(block(map[string]any{"type": "text", "text": "ab", "lang": "en"}))},
		{"a text to a text block without text", abi.Blocks(block(map[string]any{"type": "text"})), abi.Text("b"), abi.Text("b")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := marshal(t, tc.a), marshal(t, tc.b)
			require.Equal(t, tc.want, tc.a.Append(tc.b))
			require.Equal(t, a, marshal(t, tc.a), "the first is not changed")
			require.Equal(t, b, marshal(t, tc.b), "the second is not changed")
		})
	}
}

func TestContentAppendedTwiceDoesNotShare(t *testing.T) {
	t.Parallel()
	base := abi.Blocks(abi.ImageURLBlock("u"), abi.TextBlock("a"))
	one, two := base.Append(abi.Text("1")), base.Append(abi.Text("2"))
	require.Equal(t, "a1", one.Text())
	require.Equal(t, "a2", two.Text())
	require.Equal(t, "a", base.Text())
}

func TestContentAsJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"hi"`, `[{"type":"image","url":"u"}]`} {
		var c abi.Content
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		out, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
	var c abi.Content
	require.NoError(t, json.Unmarshal([]byte("null"), &c))
	require.True(t, c.IsZero())
	require.Error(t, json.Unmarshal([]byte("1"), &c))
	require.Error(t, json.Unmarshal([]byte(`[{"type":"a","type":"b"}]`), &c))
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		block      abi.Block
		kind, text string
		data       []byte
		json       string
	}{
		{"text", abi.TextBlock("hi"), abi.BlockText, "hi", nil, `{"text":"hi","type":"text"}`},
		{"image", abi.ImageBlock("image/png", []byte{1, 2}), abi.BlockImage, "", []byte{1, 2}, `{"data":"AQI=","mime_type":"image/png","type":"image"}`},
		{"image by URL", abi.ImageURLBlock("https://x/y"), abi.BlockImage, "", nil, `{"type":"image","url":"https://x/y"}`},
		{"file", abi.FileBlock("a.txt", "text/plain", []byte("a")), abi.BlockFile, "", []byte("a"), `{"data":"YQ==","mime_type":"text/plain","name":"a.txt","type":"file"}`},
		{"reasoning", abi.ReasoningBlock("why", ""), abi.BlockReasoning, "why", nil, `{"reasoning":"why","type":"reasoning"}`},
		{"signed reasoning", abi.ReasoningBlock("", "sig"), abi.BlockReasoning, "", nil, `{"reasoning":"","signature":"sig","type":"reasoning"}`},
		{"audio", abi.AudioBlock("audio/wav", []byte{1}), abi.BlockAudio, "", []byte{1}, `{"data":"AQ==","mime_type":"audio/wav","type":"audio"}`},
		{"video", abi.VideoBlock("video/mp4", []byte{1}), abi.BlockVideo, "", []byte{1}, `{"data":"AQ==","mime_type":"video/mp4","type":"video"}`},
		{"refusal", abi.RefusalBlock("No.", "bio"), abi.BlockRefusal, "No.", nil, `{"extras":{"category":"bio"},"refusal":"No.","type":"refusal"}`},
		{"refusal without a reason", abi.RefusalBlock("", ""), abi.BlockRefusal, "", nil, `{"refusal":"","type":"refusal"}`},
		{"other refusal", abi.RefusalBlock("No.", "").WithText("x"), abi.BlockRefusal, "x", nil, `{"refusal":"x","type":"refusal"}`},
		{"base64", block(map[string]any{"type": "image", "base64": "AQI="}), abi.BlockImage, "", []byte{1, 2}, `{"base64":"AQI=","type":"image"}`},
		{"bad base64", block(map[string]any{"type": "image", "base64": "?"}), abi.BlockImage, "", nil, `{"base64":"?","type":"image"}`},
		{"unknown", block(map[string]any{"type": "x", "text": "no text block"}), "x", "", nil, `{"text":"no text block","type":"x"}`},
		{"without type", block(nil), "", "", nil, `{}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.kind, tc.block.Type())
			require.Equal(t, tc.text, tc.block.Text())
			require.Equal(t, tc.data, tc.block.Data())
			require.Equal(t, tc.json, tc.block.Fields().Raw().JSON())
			canonical, err := wire.IsCanonical(tc.block.Fields().Raw(), wire.Limits{})
			require.NoError(t, err)
			require.True(t, canonical)
		})
	}
	require.Equal(t, "https://x/y", abi.ImageURLBlock("https://x/y").String("url"))
	require.Empty(t, abi.ImageURLBlock("https://x/y").String("absent"))
}

func ExampleBlocks() {
	content := abi.Blocks(
		abi.TextBlock("What is this? "),
		abi.ImageURLBlock("https://example.com/cat.png"),
		abi.TextBlock("Answer briefly."),
	)
	fmt.Println(content.Text())
	for _, block := range content.Blocks() {
		fmt.Println(block.Type())
	}
	// Output:
	// What is this? Answer briefly.
	// text
	// image
	// text
}

func ExampleContent_Append() {
	system := abi.Text("You are a helpful assistant.")
	fmt.Println(system.Append(abi.Text(" Be brief.")).Text())
	// Output: You are a helpful assistant. Be brief.
}
