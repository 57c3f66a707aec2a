package chat_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
)

// read returns all messages in the typed input.
func read(t *testing.T, typed string) (messages []string, shown string) {
	t.Helper()
	var out bytes.Buffer
	editor := chat.NewEditor(chat.NewKeyboard(strings.NewReader(typed)), &out)
	editor.Complete = (&chat.Chat{}).Complete
	for {
		message, err := editor.Read(t.Context())
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return messages, out.String()
		}
		messages = append(messages, message)
	}
}

func TestMessagesAreTyped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 2000)
	for name, test := range map[string]struct {
		typed string
		want  []string
	}{
		"lines":                        {"one\rtwo\r", []string{"one", "two"}},
		"a line without an end":        {"one\rtwo", []string{"one"}},
		"a backslash":                  {"one\\\rtwo\\\rthree\rfour\r", []string{"one\ntwo\nthree", "four"}},
		"alt-enter":                    {"one\x1b\rtwo\r", []string{"one\ntwo"}},
		"what is pasted":               {"say: \x1b[200~one\n\ttwo\\\n\x1b[201~!\r", []string{"say: one\n\ttwo\\\n!"}},
		"pasted alone":                 {"\x1b[200~one\ntwo\x1b[201~\r", []string{"one\ntwo"}},
		"a long paste":                 {"\x1b[200~" + long + "\x1b[201~\r", []string{long}},
		"the history":                  {"one\rtwo\\\rmore\r\x1b[A\r\x1b[A\x1b[A!\r", []string{"one", "two\nmore", "two\nmore", "one!"}},
		"back from the history":        {"one\rtw\x1b[A\x1b[Bo\r", []string{"one", "two"}},
		"editing":                      {"oe\x1b[Dn\x1b[Fs\x01\x1b[3~O\r", []string{"Ones"}},
		"ctrl-c empties the line":      {"one\x03two\r", []string{"two"}},
		"ctrl-c ends, in an empty one": {"one\r\x03two\r", []string{"one"}},
		"so does ctrl-d":               {"one\r\x04two\r", []string{"one"}},
		"ctrl-d deletes":               {"onñe\x01\x1b[C\x1b[C\x04\r", []string{"one"}},
		"ctrl-c gives up all lines":    {"one\\\r\x03two\r", []string{"two"}},
		"so does ctrl-d there":         {"one\\\r\x04two\r", []string{"two"}},
		"wide characters":              {"日本語\x7f\x1b[D!\r", []string{"日!本"}},
		"accents are part of a letter": {"cafe\u0301\x7f\x1b[De\u0302\x1b[3~\r", []string{"cae\u0302"}},
		"an emoji is one character":    {"a👩\u200d👩\u200d👧\x7f🇩🇪🇫🇷\x1b[D\x7f👍🏽\x1b[Db\r", []string{"ab👍🏽🇫🇷"}},
		"words":                        {"one 日本 three\x1bb\x1bb\x17two \x1bf\x0b!\r", []string{"two 日本 !"}},
		"swapped":                      {"ae\u0301\x14\x01\x1b[C\x14\r", []string{"ae\u0301"}},
		"what looks like a break":      {"a⏎b\r", []string{"a⏎b"}},
		"tab completes a command":      {"/ret\t\r/t\t\rx\t\r", []string{"/retry", "/t", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages, shown := read(t, test.typed)
			require.Equal(t, test.want, messages)
			require.True(t, strings.HasPrefix(shown, "> "))
			require.NotContains(t, strings.ReplaceAll(shown, "\r\n", ""), "\n")
		})
	}
}

func TestTheLineShowsBreaks(t *testing.T) {
	t.Parallel()
	_, shown := read(t, "one\x1b\rtwo\\\rthree\r")
	require.Contains(t, shown, "> one⏎two\\\r\n… three\r\n")
}

func TestTheTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	raw, restored := 0, 0
	editor := chat.NewEditor(chat.NewKeyboard(strings.NewReader("one\r")), &out)
	editor.Raw = func() (func(), chat.Size, error) {
		raw++
		return func() { restored++ }, chat.Size{Columns: 40, Rows: 10}, nil
	}
	_, err := editor.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, raw)
	require.Equal(t, 1, restored)
	require.True(t, strings.HasSuffix(out.String(), "\x1b[?2004l"), "pastes are bracketed no longer")
	editor.Raw = func() (func(), chat.Size, error) { return nil, chat.Size{}, errors.New("no terminal") }
	_, err = editor.Read(t.Context())
	require.EqualError(t, err, "no terminal")
}

func TestWhoLeavesTheKeyboardLosesNothing(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	keys := chat.NewKeyboard(in)
	ctx, leave := context.WithCancelCause(t.Context())
	left := errors.New("left")
	done := make(chan error)
	go func() {
		_, err := keys.During(ctx).Read(make([]byte, 8))
		done <- err
	}()
	leave(left)
	require.ErrorIs(t, <-done, left)

	go func() { _, _ = typing.Write([]byte("abc")) }()
	buffer := make([]byte, 2)
	n, err := io.ReadFull(keys.During(t.Context()), buffer)
	require.NoError(t, err)
	require.Equal(t, "ab", string(buffer[:n]))
	_, err = keys.During(ctx).Read(buffer)
	require.ErrorIs(t, err, left, "what is there is for the next one")
	n, err = keys.During(t.Context()).Read(buffer)
	require.NoError(t, err)
	require.Equal(t, "c", string(buffer[:n]))
	require.NoError(t, typing.Close())
	_, err = keys.During(t.Context()).Read(buffer)
	require.ErrorIs(t, err, io.EOF)
}

func TestLines(t *testing.T) {
	t.Parallel()
	lines := chat.NewLines(strings.NewReader("one\r\n\ntw\xffo"))
	for _, want := range []string{"one", "", "tw\uFFFDo"} {
		line, err := lines.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, line)
	}
	_, err := lines.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)

	_, err = chat.NewLines(endless{}).Read(t.Context())
	require.EqualError(t, err, "a line of the input is longer than 4194304 bytes, the limit of a message; shorten it")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = chat.NewLines(endless{}).Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "x"), nil }
