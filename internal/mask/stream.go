package mask

import "io"

// Stream hides secrets in a text that arrives in pieces, even if a secret is cut between two of them. It holds back an end that may be
// the beginning of a secret.
type Stream struct {
	mask *Mask
	held string
}

// Stream returns a new stream.
func (m *Mask) Stream() *Stream { return &Stream{mask: m} }

// Add adds a piece, and returns the text that can be passed on, which may be empty.
func (s *Stream) Add(piece string) string {
	if s.mask == nil || piece == "" {
		return piece
	}
	text := s.mask.Text(s.held + piece)
	keep := len(text) - s.mask.begun(text)
	s.held = text[keep:]
	return text[:keep]
}

// End returns the text that was held back. The stream is then as new.
func (s *Stream) End() string {
	held := s.held
	s.held = ""
	return held
}

// Reader returns a reader of a body without the secrets. Errors of the body do not show them either.
func (m *Mask) Reader(body io.ReadCloser) io.ReadCloser {
	if m == nil {
		return body
	}
	return &reader{ReadCloser: body, text: m.Stream()}
}

type reader struct {
	io.ReadCloser

	text  *Stream
	ready []byte // masked, and not read yet
	err   error
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 && r.err == nil {
		if len(p) == 0 {
			return 0, nil
		}
		piece := make([]byte, max(len(p), 4<<10))
		n, err := r.ReadCloser.Read(piece)
		r.ready = []byte(r.text.Add(string(piece[:n])))
		if err != nil {
			r.ready, r.err = append(r.ready, r.text.End()...), r.text.mask.Error(err)
		}
	}
	n := copy(p, r.ready)
	if r.ready = r.ready[n:]; len(r.ready) > 0 {
		return n, nil
	}
	return n, r.err
}
