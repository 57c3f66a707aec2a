package strictyaml

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultMaxBytes is the largest file that is read unless [WithMaxBytes] says otherwise.
const defaultMaxBytes = 1 << 20

// source is the origin of nodes: a file, or one assignment on the command line.
type source struct {
	name  string   // the file's name, or the flag with its text
	lines []string // without line breaks; nil for an assignment
	// wide has the byte index of every rune, for lines that are not all ASCII.
	wide map[int][]int

	secret  func(path []string, value string) bool // which keys hold secrets: see [WithSecrets]
	parsed  bool                                   // hidden is known; until then, secrets are guessed
	hidden  map[int][]span                         // what is not shown, by line
	parents []int                                  // by line: the line that it is indented under, counted from 1; nil until a guess needs it
}

// position is a place in a source. The line is 0 if the source has no lines.
type position struct {
	src          *source
	line, column int
}

// line returns a line, counted from 1, or "" if it does not exist.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

func (s *source) at(line, column int) position {
	if s.lines == nil {
		return position{src: s}
	}
	return position{s, line, column}
}

// find looks for text at or after a position.
func (s *source) find(text string, from position) (position, bool) {
	for n := max(from.line, 1); n <= len(s.lines); n++ {
		line, skipped := s.lines[n-1], 0
		if n == from.line {
			skipped = s.offset(n, from.column)
		}
		if i := strings.Index(line[skipped:], text); i >= 0 {
			return position{s, n, s.column(n, skipped+i)}, true
		}
	}
	return from, false
}

// offset turns a column into an index in the line, at most the line's length. It must be fast, because it is called for every value,
// even if the file has only one line.
func (s *source) offset(number, column int) int {
	index, length := max(column-1, 0), len(s.line(number))
	if wide := s.wide[number]; wide != nil {
		if index >= len(wide) {
			return length
		}
		return wide[index]
	}
	return min(index, length)
}

// column turns an index in the line into a column.
func (s *source) column(number, offset int) int {
	if wide := s.wide[number]; wide != nil {
		i, _ := slices.BinarySearch(wide, offset)
		return i + 1
	}
	return offset + 1
}

// atByte returns the place of a byte of the whole text.
func (s *source) atByte(text string, offset int) position {
	before := text[:offset]
	line := strings.Count(before, "\n") + 1
	return s.at(line, s.column(line, offset-strings.LastIndexByte(before, '\n')-1))
}

// problem returns a Problem at this place.
func (p position) problem(path, message, hint string) Problem {
	problem := Problem{Path: path, Message: message, Hint: hint}
	if p.src != nil {
		problem.File = p.src.name
		problem.Line, problem.Column = p.line, p.column
		problem.Source, problem.caret = p.src.shown(p.line, p.column)
		if !p.src.parsed && p.src.secret != nil && p.line > 0 {
			problem.Message = p.src.withoutGuess(p.line, message)
		}
	}
	return problem
}

// readSource checks the bytes of a file, and returns its text with line feeds as the only line breaks, as in the lines of the source.
func readSource(file string, data []byte, o *options) (*source, string, *Problem) {
	src := &source{name: file, lines: []string{}, secret: o.secret}
	if int64(len(data)) > o.maxBytes {
		p := src.at(0, 0).problem("", fmt.Sprintf("the file has %s, more than the limit of %s", Size(len(data)), Size(o.maxBytes)), "")
		return src, "", &p
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	src.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	src.wide = map[int][]int{}
	for i, line := range src.lines {
		if utf8.RuneCountInString(line) != len(line) {
			for index := range line {
				src.wide[i+1] = append(src.wide[i+1], index)
			}
		}
		if p := checkLine(src, i+1, line); p != nil {
			return src, "", p
		}
	}
	return src, text, nil
}

func checkLine(src *source, number int, line string) *Problem {
	column := 0
	for i, r := range line {
		column++
		var message, hint string
		switch {
		case r == utf8.RuneError && isInvalidAt(line, i):
			message, hint = fmt.Sprintf("byte 0x%02x is not UTF-8", line[i]), "save the file as UTF-8"
		case r == 0:
			message, hint = "the file has a zero byte", "save the file as UTF-8"
		case r < ' ' && r != '\t', r >= 0x7f && r < 0xa0, r >= 0xfdd0 && r <= 0xfdd2, r >= 0xfffe && r <= 0xffff:
			message = fmt.Sprintf("control character U+%04X", r)
			hint = "write it as " + strings.Trim(strconv.QuoteToASCII(string(r)), `"`) + " between double quotes"
		default:
			continue
		}
		p := src.at(number, column).problem("", message, hint)
		return &p
	}
	return nil
}

func isInvalidAt(line string, i int) bool {
	_, width := utf8.DecodeRuneInString(line[i:])
	return width == 1
}
