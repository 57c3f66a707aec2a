package backend

import "context"

// Searcher is a [Reader] that can look for a text where the files are, so that not every file has to be read. Call it by [Search].
type Searcher interface {
	Reader
	// Search is a Walk that may leave out files without the text, and files of more than [MaxFile] bytes. The text is one line or a
	// part of it.
	Search(ctx context.Context, dir, text string, visit func(Info) bool) (stopped bool, err error)
}

// Search visits the files below a directory in which a text may be. It is a Walk if the reader is not a [Searcher].
func Search(ctx context.Context, r Reader, dir, text string, visit func(Info) bool) (stopped bool, err error) {
	if view, ok := r.(View); ok {
		r = view.Files
	}
	if s, ok := r.(Searcher); ok {
		return s.Search(ctx, dir, text, visit)
	}
	return r.Walk(ctx, dir, visit)
}
