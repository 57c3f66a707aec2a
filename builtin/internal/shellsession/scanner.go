package shellsession

import "bytes"

// maxStatus is larger than a status number with its line break, in bytes.
const maxStatus = 16

// scanner finds the marker in the data of one pipe, which comes in pieces.
type scanner struct {
	marker []byte
	held   []byte // the end of the data, if the marker may begin there
	found  bool
	status []byte // the text after the marker
	whole  bool   // the status has its line break
}

// scan passes on the data before the marker.
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

// rest passes on the held data at the end.
func (s *scanner) rest(pass func([]byte)) {
	pass(s.held)
	s.held = nil
}

// beginnings returns the length of the longest end of data that is a beginning of the marker.
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
