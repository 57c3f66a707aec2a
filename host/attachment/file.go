package attachment

import (
	"fmt"
	"path/filepath"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Limits of the size of files, in bytes. Providers have limits of their own: the smallest is 20 MB for a request to Gemini, in which
// files are in base64.
const (
	MaxImage = model.MaxImage
	MaxText  = 1 << 20
	MaxTotal = 12 << 20 // all files of a message, and a PDF document or a sound
)

// File is a file that was read.
type File struct {
	Name     string // the last element of its path
	Kind     Kind
	MIMEType string // such as "image/png"; without parameters
	Data     []byte
}

// Read reads a regular file. The error names the path; it is that of the operating system, a [*regularfile.KindError], a
// [*regularfile.SizeError] or a [*FormatError].
func Read(path string) (*File, error) {
	data, err := regularfile.Read(path, MaxTotal)
	if err != nil {
		return nil, err
	}
	return Of(path, data)
}

// Of returns the file with a path and this content, wherever that was read. The error names the path; it is a [*regularfile.SizeError] or a
// [*FormatError].
func Of(path string, data []byte) (*File, error) {
	kind, mime := kindOf(data)
	switch limit := int64(kind.limit()); {
	case kind == "":
		return nil, &FormatError{Path: path, Empty: len(data) == 0}
	case int64(len(data)) > limit:
		return nil, &regularfile.SizeError{Path: path, Limit: limit}
	}
	return &File{Name: filepath.Base(path), Kind: kind, MIMEType: mime, Data: data}, nil
}

// FormatError is a file that holds nothing that a message can hold.
type FormatError struct {
	Path  string
	Empty bool // the file is empty
}

func (e *FormatError) Error() string {
	if e.Empty {
		return e.Path + ": is empty"
	}
	return e.Path + ": is neither an image (png, jpeg, gif, webp), a PDF document, audio (wav, mp3) nor UTF-8 text; convert it to one of them"
}

// TotalError says that the files of a message are too large together.
type TotalError struct{ Size int } // bytes

func (e *TotalError) Error() string {
	return fmt.Sprintf("the files have %d bytes together, and the limit is %d; leave one out", e.Size, MaxTotal)
}
