package attachment_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// encoded returns an image in the format of an encoder.
func encoded(t *testing.T, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))))
	return out.Bytes()
}

func written(t *testing.T, name string, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

const pdf = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"

func TestFilesAreToldByTheirContent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data  []byte
		kind  attachment.Kind
		mime  string
		block string // its type
	}{
		"png":             {encoded(t, func(b *bytes.Buffer, i image.Image) error { return png.Encode(b, i) }), attachment.Image, "image/png", abi.BlockImage},
		"jpeg":            {encoded(t, func(b *bytes.Buffer, i image.Image) error { return jpeg.Encode(b, i, nil) }), attachment.Image, "image/jpeg", abi.BlockImage},
		"gif":             {encoded(t, func(b *bytes.Buffer, i image.Image) error { return gif.Encode(b, i, nil) }), attachment.Image, "image/gif", abi.BlockImage},
		"webp":            {[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00"), attachment.Image, "image/webp", abi.BlockImage},
		"pdf":             {[]byte(pdf), attachment.PDF, "application/pdf", abi.BlockFile},
		"wav":             {[]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"), attachment.Audio, "audio/wav", abi.BlockAudio},
		"mp3":             {[]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), attachment.Audio, "audio/mpeg", abi.BlockAudio},
		"mp3 without tag": {[]byte("\xff\xfb\x90\x64\x00"), attachment.Audio, "audio/mpeg", abi.BlockAudio},
		"text":            {[]byte("Füße\n"), attachment.Text, "text/plain", abi.BlockText},
		"html":            {[]byte("<!DOCTYPE html>"), attachment.Text, "text/plain", abi.BlockText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := attachment.Read(written(t, "a.bin", test.data))
			require.NoError(t, err)
			require.Equal(t, &attachment.File{Name: "a.bin", Kind: test.kind, MIMEType: test.mime, Data: test.data}, file)
			block := file.Block()
			require.Equal(t, test.block, block.Type())
			if test.kind != attachment.Text {
				require.Equal(t, test.mime, block.String("mime_type"))
				require.Equal(t, test.data, block.Data())
			}
		})
	}
}

func TestFilesThatNoMessageHolds(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"zip": "PK\x03\x04", "UTF-16": "\xff\xfeh\x00i\x00", "Latin-1": "F\xfc\xdfe", "zero byte": "a\x00b", "ogg": "OggS\x00", "aac": "\xff\xf1\x50\x80",
		"free bit rate": "\xff\xfb\xf0\x64",
	} {
		_, err := attachment.Read(written(t, "a", []byte(data)))
		require.ErrorAs(t, err, new(*attachment.FormatError), name)
		require.ErrorContains(t, err, "is neither an image (png, jpeg, gif, webp)", name)
	}
	_, err := attachment.Read(written(t, "a", nil))
	require.ErrorContains(t, err, "a: is empty")
	_, err = attachment.Read(t.TempDir())
	require.ErrorAs(t, err, new(*regularfile.KindError))
	_, err = attachment.Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)

	for name, data := range map[string][]byte{
		"text":     bytes.Repeat([]byte("a"), attachment.MaxText+1),
		"image":    append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, attachment.MaxImage)...),
		"document": append([]byte(pdf), make([]byte, attachment.MaxTotal)...),
	} {
		_, err := attachment.Read(written(t, "a", data))
		require.ErrorAs(t, err, new(*regularfile.SizeError), name)
	}
}

func TestAMessageHasItsFilesFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, abi.Human("hi"), attachment.Message("hi"))
	m := attachment.Message("well?",
		&attachment.File{Name: "r\xff.pdf", Kind: attachment.PDF, MIMEType: "application/pdf", Data: []byte(pdf)},
		&attachment.File{Name: `a".txt`, Kind: attachment.Text, MIMEType: "text/plain", Data: []byte("\uFEFFone\ntwo\n")})
	require.Equal(t, abi.RoleHuman, m.Role)
	require.Equal(t, []abi.Block{
		abi.FileBlock("r\uFFFD.pdf", "application/pdf", []byte(pdf)),
		abi.TextBlock("<file name=\"a\\\".txt\">\none\ntwo\n</file>\n"), abi.TextBlock("well?"),
	}, m.Content.Blocks())
}

func TestCheck(t *testing.T) {
	t.Parallel()
	all := []*attachment.File{{Name: "p.png", Kind: attachment.Image}, {Name: "d.pdf", Kind: attachment.PDF}, {Name: "s.wav", Kind: attachment.Audio}}
	text := &attachment.File{Name: "t.txt", Kind: attachment.Text}
	deaf, seeing := model.Lookup("openai", "gpt-3.5-turbo"), model.Lookup("openai", "gpt-5.2")
	require.NoError(t, attachment.Check([]model.Info{deaf}, text))
	for _, file := range all {
		require.NoError(t, attachment.Check(nil, file))
		require.NoError(t, attachment.Check([]model.Info{{Name: "unknown"}}, file))
		require.NoError(t, attachment.Check([]model.Info{deaf, model.Lookup("gemini", "gemini-2.5-pro")}, text, file), "middleware may ask the other one")
		var unsupported *attachment.UnsupportedError
		require.ErrorAs(t, attachment.Check([]model.Info{deaf}, text, file), &unsupported)
		require.Equal(t, file.Kind, unsupported.Kind)
	}
	require.NoError(t, attachment.Check([]model.Info{seeing}, all[:2]...))
	require.EqualError(t, attachment.Check([]model.Info{seeing}, all...),
		`file "s.wav": the model gpt-5.2 does not take audio; use another model, or set profile: {audio: true} if this one does`)

	half := &attachment.File{Name: "h.pdf", Kind: attachment.PDF, Data: make([]byte, attachment.MaxTotal/2+1)}
	require.NoError(t, attachment.Check(nil, half))
	err := attachment.Check(nil, half, half)
	require.ErrorAs(t, err, new(*attachment.TotalError))
	require.True(t, strings.HasSuffix(err.Error(), "and the limit is 12582912; leave one out"), err)
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "a", "\xff\xfb\x90\x64", pdf, "RIFF\x24\x00\x00\x00WAVEfmt "} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := attachment.Read(written(t, "a", data))
		if err != nil {
			return
		}
		content, err := attachment.Message("x", file).Content.MarshalMsg(nil)
		require.NoError(t, err)
		var again abi.Content
		_, err = again.UnmarshalMsg(content)
		require.NoError(t, err)
	})
}
