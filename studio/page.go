package studio

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

var (
	//go:embed web/index.html
	index []byte
	//go:embed dist/studio.js
	script []byte
	//go:embed dist/studio.css
	style []byte
)

// policy is what the page may do: it loads its own script and style, talks to its own server, and makes no HTML of texts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// File is a file of the page.
type File struct {
	Path string // in the address
	Type string // its media type

	text, zipped []byte
	tag          string
}

// Files returns the files of the page, which the server has at these paths. They are the same for all servers.
var Files = sync.OnceValue(func() []*File { return files(index) })

// DevFiles returns the files of the page for `agenthost dev`. It also shows what the last change of a file has done, and calls plugins again.
var DevFiles = sync.OnceValue(func() []*File {
	return files(bytes.Replace(index, []byte("<html "), []byte("<html data-dev "), 1))
})

func files(index []byte) []*File {
	return []*File{
		newFile("/", "text/html; charset=utf-8", index),
		newFile("/studio/studio.js", "text/javascript; charset=utf-8", script),
		newFile("/studio/studio.css", "text/css; charset=utf-8", style),
	}
}

func newFile(path, kind string, text []byte) *File {
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is valid
	_, _ = w.Write(text)                                       // a buffer takes everything
	_ = w.Close()
	sum := sha256.Sum256(text)
	return &File{Path: path, Type: kind, text: text, zipped: zipped.Bytes(), tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// ServeHTTP answers with the file.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // a browser asks whether it has the present one
	h.Set("ETag", f.tag)
	h.Add("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text := f.text
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		text = f.zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text)
}

func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" {
			q := strings.TrimPrefix(strings.TrimSpace(quality), "q=")
			return strings.Trim(q, "0.") != "" || quality == ""
		}
	}
	return false
}
