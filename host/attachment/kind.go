package attachment

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/host/model"
)

// Kind says what a file is.
type Kind string

// The kinds of files.
const (
	Image Kind = "image" // PNG, JPEG, GIF or WebP
	PDF   Kind = "PDF document"
	Audio Kind = "audio" // WAV or MP3
	Text  Kind = "text"  // UTF-8
)

// limit returns the size of the largest file of the kind, in bytes.
func (k Kind) limit() int {
	switch k {
	case Image:
		return MaxImage
	case Text:
		return MaxText
	default:
		return MaxTotal
	}
}

// kindOf tells what a file is by its content; "" if it is something else.
func kindOf(data []byte) (kind Kind, mime string) {
	mime, _, _ = strings.Cut(http.DetectContentType(data), ";")
	switch {
	case len(data) == 0:
		return "", ""
	case model.AcceptsImage(mime):
		return Image, mime
	case mime == "application/pdf":
		return PDF, mime
	case mime == "audio/wave":
		return Audio, "audio/wav"
	case mime == "audio/mpeg" || isMP3Frame(data):
		return Audio, "audio/mpeg"
	case strings.HasPrefix(mime, "text/") && utf8.Valid(data) && !bytes.ContainsRune(data, 0):
		return Text, "text/plain"
	}
	return "", ""
}

// isMP3Frame reports whether data begins with the header of a frame of MPEG audio, layer III, as MP3 files without tags do. No text in
// UTF-8 begins so.
func isMP3Frame(data []byte) bool {
	const (
		sync, layerMask, layer3 = 0xE0, 0x06, 0x02
		rateMask, badRate       = 0xF0, 0xF0
		sampleMask, badSample   = 0x0C, 0x0C
		versionMask, badVersion = 0x18, 0x08
	)
	return len(data) >= 4 && data[0] == 0xFF && data[1]&sync == sync && data[1]&layerMask == layer3 && data[1]&versionMask != badVersion &&
		data[2]&rateMask != badRate && data[2]&sampleMask != badSample
}
