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
	"github.com/agenthost/agenthost/internal/text"
)

// Screen is what a person sees: answers, which come piece by piece, and lines about what happens. While nothing happens it
// may show that something goes on. Its methods may be called from several goroutines at once.
type Screen struct {
	Answers io.Writer
	Notes   io.Writer // all else; it may be the same terminal
	// Ticks says when to move what shows that something goes on, and returns what ends that; nil: nothing is shown.
	Ticks func() (ticks <-chan time.Time, end func())

	mu      sync.Mutex
	open    bool   // the last line of the answers has no end yet
	partial []byte // the beginning of a character
	drawn   bool   // the last line shows that something goes on
	busy    string // what
	stop    func() // ends the moving; nil: nothing moves
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

// complete is how much of a text does not end within a character.
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

// End ends the answer: what follows begins a line.
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

// Write writes lines of somebody else's, such as those of a log, among the notes.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.end(); err != nil {
		return 0, err
	}
	return s.Notes.Write(p)
}

// Notef shows lines about what happens. Foreign texts among the arguments must not steer the terminal.
func (s *Screen) Notef(format string, args ...any) {
	_, _ = fmt.Fprintf(s, format+"\n", args...)
}

// Busy shows that something goes on until there is something else to be seen.
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
		s.mu.Unlock() // it may be about to draw
		<-ended
		s.mu.Lock()
	}
	go func() {
		defer close(ended)
		s.move(ticks, done)
	}()
}

// Idle ends what Busy shows.
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

// frames are what shows one after the other.
const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// move draws what goes on with each tick, for as long as no answer is in the middle of a line.
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
	fmt.Fprintf(s.Notes, "\r%c %s %ds\x1b[K", frame, text.Cut(s.busy, 40), int(since.Seconds()))
}

// clear takes away what shows that something goes on.
func (s *Screen) clear() {
	if s.drawn {
		s.drawn = false
		_, _ = io.WriteString(s.Notes, "\r\x1b[K")
	}
}
