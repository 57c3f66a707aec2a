package chat

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/terminal"
)

// Screen shows answers, piece by piece, and lines about what happens. While it waits, it may show a progress indicator. Its
// methods may be called from several goroutines at once.
type Screen struct {
	Answers io.Writer
	Notes   io.Writer // everything else; may be the same terminal
	// Ticks returns when to move the progress indicator, and a function that ends it. If it is nil, there is no indicator.
	Ticks func() (ticks <-chan time.Time, end func())

	mu      sync.Mutex
	open    bool   // whether the last line of the answer is incomplete
	partial []byte // an incomplete character
	drawn   bool   // whether the last line is the progress indicator
	busy    string // the text of the progress indicator
	stop    func() // stops the progress indicator; nil if there is none
}

// Say shows a piece of an answer.
func (s *Screen) Say(piece string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := slices.Concat(s.partial, []byte(piece))
	whole := complete(text)
	s.partial = bytes.Clone(text[whole:])
	if whole == 0 {
		return nil
	}
	s.clear()
	shown := terminal.Text(strings.ToValidUTF8(string(text[:whole]), "\uFFFD"))
	s.open = !strings.HasSuffix(shown, "\n")
	_, err := io.WriteString(s.Answers, shown)
	return err
}

// complete returns the length of a text without an incomplete character at its end.
func complete(text []byte) int {
	for n := len(text) - 1; n >= max(0, len(text)-utf8.UTFMax); n-- {
		if utf8.RuneStart(text[n]) {
			if !utf8.FullRune(text[n:]) {
				return n
			}
			break
		}
	}
	return len(text)
}

// End ends the answer, so that the following text starts a line.
func (s *Screen) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

func (s *Screen) end() error {
	s.clear()
	s.partial = nil
	if !s.open {
		return nil
	}
	s.open = false
	_, err := io.WriteString(s.Answers, "\n")
	return err
}

// Write writes other lines, such as those of a log, to the notes.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.end(); err != nil {
		return 0, err
	}
	return s.Notes.Write(p)
}

// Notef shows lines about what happens. Foreign texts in args must have passed package terminal.
func (s *Screen) Notef(format string, args ...any) {
	_, _ = fmt.Fprintf(s, format+"\n", args...)
}

// Busy shows the progress indicator until something else is shown.
func (s *Screen) Busy(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = terminal.Line(what)
	if s.Ticks == nil || s.stop != nil {
		return
	}
	ticks, end := s.Ticks()
	done, ended := make(chan struct{}), make(chan struct{})
	s.stop = func() {
		end()
		close(done)
		s.mu.Unlock() // the indicator may be about to draw
		<-ended
		s.mu.Lock()
	}
	go func() {
		defer close(ended)
		s.move(ticks, done)
	}()
}

// Idle removes the progress indicator.
func (s *Screen) Idle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = ""
	s.clear()
	if stop := s.stop; stop != nil {
		s.stop = nil
		stop()
	}
}

// frames are the states of the progress indicator.
const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// move redraws the progress indicator at each tick, unless an answer is in the middle of a line.
func (s *Screen) move(ticks <-chan time.Time, done <-chan struct{}) {
	var began time.Time
	for n := 0; ; n++ {
		var now time.Time
		select {
		case now = <-ticks:
		case <-done:
			return
		}
		if began.IsZero() {
			began = now
		}
		s.draw([]rune(frames)[n%utf8.RuneCountInString(frames)], now.Sub(began))
	}
}

func (s *Screen) draw(frame rune, since time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open || s.busy == "" {
		return
	}
	s.drawn = true
	fmt.Fprintf(s.Notes, "\r%c %s %ds\x1b[K", frame, fit(s.busy, 40), int(since.Seconds()))
}

// clear removes the progress indicator from the terminal.
func (s *Screen) clear() {
	if s.drawn {
		s.drawn = false
		_, _ = io.WriteString(s.Notes, "\r\x1b[K")
	}
}
