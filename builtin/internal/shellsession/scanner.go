package shellsession

import "bytes"

// maxStatus is more than what the number of a status and the end of its line have.
const maxStatus = 16

// scanner finds the marker in what comes from one pipe, in whatever pieces it comes.
type scanner struct {
	marker []byte
	held   []byte // the end of what came, if the marker may begin there
	found  bool
	status []byte // what stands behind the marker
	whole  bool   // with its line
}

// scan passes on what stands before the marker.
func (s *scanner) scan(data []byte, pass func([]byte)) {
	if s.found {
		s.behind(data)
		return
	}
	if len(s.held) > 0 {
		data = append(s.held, data...)
		s.held = nil
	}
	if before, after, found := bytes.Cut(data, s.marker); found {
		s.found = true
		pass(before)
		s.behind(after)
		return
	}
	n := s.beginnings(data)
	pass(data[:len(data)-n])
	s.held = bytes.Clone(data[len(data)-n:])
}

// rest passes on what was held back, when nothing more comes.
func (s *scanner) rest(pass func([]byte)) {
	pass(s.held)
	s.held = nil
}

// beginnings is the length of the longest end of data with which the marker begins.
func (s *scanner) beginnings(data []byte) int {
	for n := min(len(s.marker)-1, len(data)); n > 0; n-- {
		if bytes.HasSuffix(data, s.marker[:n]) {
			return n
		}
	}
	return 0
}

func (s *scanner) behind(data []byte) {
	if s.whole {
		return
	}
	text, _, whole := bytes.Cut(data, []byte("\n"))
	s.whole = whole
	s.status = append(s.status, text[:min(len(text), maxStatus-min(len(s.status), maxStatus))]...)
}
