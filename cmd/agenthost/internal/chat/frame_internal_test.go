package chat

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// screen is a terminal that knows what a frame uses. A cell holds a cluster; the cell after a wide one is empty.
type screen struct {
	size        Size
	cells       [][]string
	row, column int
}

func (s *screen) write(output string) {
	for output != "" {
		if sequence, ok := strings.CutPrefix(output, "\x1b["); ok {
			end := strings.IndexFunc(sequence, func(r rune) bool { return r >= '@' })
			s.control(sequence[:end], sequence[end])
			output = sequence[end+1:]
			continue
		}
		end := strings.Index(output, "\x1b")
		if end < 0 {
			end = len(output)
		}
		for g := uniseg.NewGraphemes(output[:end]); g.Next(); {
			s.show(g.Str(), g.Width())
		}
		output = output[end:]
	}
}

func (s *screen) show(cluster string, width int) {
	switch cluster {
	case "\r\n":
		s.column = 0
		s.row++
		if s.row == len(s.cells) {
			s.cells = append(s.cells, nil)
		}
		return
	case "\r":
		s.column = 0
		return
	}
	if width == 0 {
		s.cells[s.row][s.column-1] += cluster
		return
	}
	if s.column+width > s.size.Columns {
		panic("the terminal would break the line itself")
	}
	row := s.cells[s.row]
	for len(row) < s.column+width {
		row = append(row, "")
	}
	row[s.column] = cluster
	s.cells[s.row], s.column = row, s.column+width
}

func (s *screen) control(parameter string, final byte) {
	n, _ := strconv.Atoi(parameter)
	switch final {
	case 'A':
		s.row -= n
	case 'C':
		s.column += n
	case 'J':
		s.cells = s.cells[:s.row+1]
		s.cells[s.row] = s.cells[s.row][:min(s.column, len(s.cells[s.row]))]
	default:
		panic("unknown sequence")
	}
}

func (s *screen) text() string {
	var rows []string
	for _, row := range s.cells {
		rows = append(rows, strings.Join(row, ""))
	}
	return strings.Join(rows, "\n")
}

func TestALineIsShownInRows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line    line
		columns int
		want    []string
		row     int
		column  int
	}{
		"short":                    {line{"abc", 1}, 10, []string{"> abc"}, 0, 3},
		"full":                     {line{"abcd", 4}, 6, []string{"> abcd", ""}, 1, 0},
		"wide":                     {line{"日本", 3}, 10, []string{"> 日本"}, 0, 4},
		"wide, at the edge":        {line{"abc日", 3}, 6, []string{"> abc", "日"}, 1, 0},
		"accents":                  {line{"e\u0301a", 3}, 10, []string{"> e\u0301a"}, 0, 3},
		"emoji":                    {line{"👩\u200d👩\u200d👧a", 19}, 10, []string{"> 👩\u200d👩\u200d👧a"}, 0, 5},
		"breaks":                   {line{"a\nb\tc", 5}, 10, []string{"> a⏎b␉c"}, 0, 7},
		"an accent without letter": {line{"\u0301a", 0}, 10, []string{"> \u0301a"}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, row, column := layout("> ", &test.line, test.columns)
			require.Equal(t, test.want, rows)
			require.Equal(t, [2]int{test.row, test.column}, [2]int{row, column})
		})
	}
	require.Equal(t, "日本…", fit("日本語", 5))
	require.Equal(t, "日本語", fit("日本語", 6))
}

func TestTheTerminalShowsTheLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := Size{rapid.IntRange(4, 12).Draw(t, "columns"), rapid.IntRange(1, 6).Draw(t, "rows")}
		on := &screen{size: size, cells: [][]string{nil}}
		var l line
		f := frame{size: size}
		pieces := []string{"a", "b c", "日", "e\u0301", "👩\u200d👩\u200d👧", "🇩🇪", "\n", "\t", "한", "👍🏽", "long words here"}
		pressed := []key{keyLeft, keyRight, keyHome, keyLast, keyWordLeft, keyWordRight, keyBackspace, keyDelete, keyDeleteWord, keyDeleteBefore, keyDeleteAfter, keySwap}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "typed") {
				l.insert(rapid.SampledFrom(pieces).Draw(t, "piece"))
			} else {
				l.press(rapid.SampledFrom(pressed).Draw(t, "key"))
			}
			var output string
			output, f = f.paint("> ", &l)
			on.write(output)

			rows, row, column := layout("> ", &l, size.Columns)
			first := max(0, row-size.Rows+1)
			require.Equal(t, strings.Join(rows[first:min(len(rows), first+size.Rows)], "\n"), on.text())
			require.Equal(t, [2]int{row - first, column}, [2]int{on.row, on.column})
			require.LessOrEqual(t, len(on.cells), size.Rows)
		}
	})
}
