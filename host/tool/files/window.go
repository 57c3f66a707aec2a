package files

// window selects a part of a long result: entries from an offset on, up to a number of entries and of bytes. It counts the
// rest.
type window struct {
	offset, limit, bytes int
	seen, taken          int
	full                 bool
}

// newWindow returns a window of limit entries, of the usual number if limit is 0, and never of more than most.
func newWindow(offset, limit, usual, most, bytes int) *window {
	if limit == 0 {
		limit = usual
	}
	return &window{offset: offset, limit: min(limit, most), bytes: bytes}
}

// take reports whether the window selects the next entry, which has size bytes. It selects the first one whatever its size.
func (w *window) take(size int) bool {
	w.seen++
	if w.seen <= w.offset || w.full {
		return false
	}
	if w.taken == w.limit || w.taken > 0 && size+1 > w.bytes {
		w.full = true
		return false
	}
	w.bytes -= size + 1
	w.taken++
	return true
}

// more returns the number of entries after the selected ones.
func (w *window) more() int { return max(0, w.seen-w.offset-w.taken) }
