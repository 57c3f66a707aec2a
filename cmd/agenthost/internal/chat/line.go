package chat

import "strings"

// line is a text with a cursor. The cursor moves by grapheme clusters, which are what a person takes for one character: a letter with
// its accents, an emoji with its modifiers. It is never within one.
type line struct {
	text string
	at   int // bytes before the cursor
}

// boundaries returns the ends of the grapheme clusters around the cursor: where the one before it begins, and the one after it ends.
func (l *line) boundaries() (before, after int) {
	for cluster := range clusters(l.text) {
		if after > l.at {
			break
		}
		if after < l.at {
			before = after
		}
		after += len(cluster)
	}
	return before, after
}

// insert adds a text at the cursor, and moves the cursor after it. What was typed may join the cluster that follows.
func (l *line) insert(typed string) {
	l.text = l.text[:l.at] + typed + l.text[l.at:]
	l.at += len(typed)
	l.align()
}

// align moves the cursor to the end of the cluster that it is within.
func (l *line) align() {
	at := 0
	for cluster := range clusters(l.text) {
		if at >= l.at {
			break
		}
		at += len(cluster)
	}
	l.at = at
}

// set replaces the text and moves the cursor to its end.
func (l *line) set(text string) { l.text, l.at = text, len(text) }

// cut removes the text between two places, and moves the cursor there.
func (l *line) cut(from, to int) {
	l.text = l.text[:from] + l.text[to:]
	l.at = from
	l.align()
}

// press performs a key that moves or deletes. Other keys do nothing.
func (l *line) press(pressed key) {
	before, after := l.boundaries()
	switch pressed {
	case keyLeft:
		l.at = before
	case keyRight:
		l.at = after
	case keyWordLeft:
		l.at = l.wordLeft()
	case keyWordRight:
		l.at = l.wordRight()
	case keyHome:
		l.at = 0
	case keyLast:
		l.at = len(l.text)
	case keyBackspace:
		l.cut(before, l.at)
	case keyDelete, keyEnd:
		l.cut(l.at, after)
	case keyDeleteWord:
		l.cut(l.wordLeft(), l.at)
	case keyDeleteBefore:
		l.cut(0, l.at)
	case keyDeleteAfter:
		l.cut(l.at, len(l.text))
	case keySwap:
		l.swap()
	default:
	}
}

// blanks are the characters between words.
const blanks = " \t\n"

// wordLeft returns the beginning of the word before the cursor.
func (l *line) wordLeft() int {
	return strings.LastIndexAny(strings.TrimRight(l.text[:l.at], blanks), blanks) + 1
}

// wordRight returns the beginning of the word after the cursor.
func (l *line) wordRight() int {
	rest := l.text[l.at:]
	if blank := strings.IndexAny(rest, blanks); blank >= 0 {
		return len(l.text) - len(strings.TrimLeft(rest[blank:], blanks))
	}
	return len(l.text)
}

// swap exchanges the clusters around the cursor, or the last two at the end of the text, and moves the cursor after both.
func (l *line) swap() {
	middle := *l
	if middle.at == len(middle.text) {
		middle.at, _ = middle.boundaries()
	}
	before, after := middle.boundaries()
	if middle.at == 0 || after == middle.at {
		return
	}
	l.text = l.text[:before] + l.text[middle.at:after] + l.text[before:middle.at] + l.text[after:]
	l.at = after
	l.align()
}
