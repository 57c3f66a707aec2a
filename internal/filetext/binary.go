package filetext

import "bytes"

// sniffed is how much of a file decides whether it is text, in bytes.
const sniffed = 8 << 10

// BinaryError is content that is not text: it has a zero byte in its first 8 KiB.
type BinaryError struct {
	UTF16 bool // the content begins with a byte order mark of UTF-16
}

func (*BinaryError) Error() string { return "is binary" }

// isBinary reports whether content does not look like text.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
}
