package chat_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/chat"
)

func TestTabCompletes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"notes.md", "notes two.md", ".hidden", "日本語.txt", "日本人.txt", "evil\x1b[2J.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	in := "/file " + dir + "/"
	for typed, want := range map[string]string{
		"/fi\t" + dir + "/no\t\t":     in + "notes",
		in + "notes.\t":               in + "notes.md",
		in + "notes \t":               in + "notes two.md",
		in + "d\t":                    in + "data/",
		in + ".h\t":                   in + ".hidden",
		in + "日\t":                    in + "日本",
		in + "ev\t":                   in + "ev",
		in + "missing/\t":             in + "missing/",
		in + "notes. more\x1bb\x7f\t": in + "notes.md" + "more",
		"no command\t":                "no command",
	} {
		messages, _ := read(t, typed+"\r")
		require.Equal(t, []string{want}, messages, "%q", typed)
	}
	var out bytes.Buffer
	editor := chat.NewEditor(chat.NewKeyboard(strings.NewReader(in+"\t\r")), &out)
	editor.Complete = (&chat.Chat{}).Complete
	message, err := editor.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, in, message)
	require.Contains(t, out.String(), "\r\n· "+dir+"/data/  "+dir+"/notes two.md  "+dir+"/notes.md  "+dir+"/日本人.txt  "+dir+"/日本語.txt\r\n> "+in)
}

func TestWhatIsTypedAheadIsKept(t *testing.T) {
	t.Parallel()
	in, typing := io.Pipe()
	keys := chat.NewKeyboard(in)
	var out bytes.Buffer
	editor := chat.NewEditor(keys, &out)
	ready := []bool{true, true, false}
	go func() {
		_, _ = typing.Write([]byte("on\xc3"))
		_, _ = typing.Write([]byte("\xa9\rtw"))
	}()
	editor.Keep(keys.Ahead(func() bool {
		now := ready[0]
		ready = ready[1:]
		return now
	}))
	require.Empty(t, out.String(), "nothing of it is shown before the prompt")
	go func() { _, _ = typing.Write([]byte("o\r")) }()
	for _, want := range []string{"oné", "two"} {
		message, err := editor.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, message)
	}
	require.NoError(t, typing.Close())
}
