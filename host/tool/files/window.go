package files

// window takes a part of a long result: a number of entries from an offset on, and no more bytes than fit. It
// counts the rest.
type window struct {
	offset, limit, bytes int
	seen, taken          int
	full                 bool
}

// newWindow makes a window of limit entries, or of the usual number if that is 0, but never of more than most.
func newWindow(offset, limit, usual, most, bytes int) *window {
	if limit == 0 {
		limit = usual
	}
	return &window{offset: offset, limit: min(limit, most), bytes: bytes}
}

// take is asked for every entry in turn, with the bytes that it needs. The first one is taken whatever its size.
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

// more is the number of entries behind those taken.
func (w *window) more() int { return max(0, w.seen-w.offset-w.taken) }
