package text

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the valid name that a given one was probably meant to be: a name that differs only by case, "-" or "_", or by a
// few letters (one in four, at most three), or else the only name that begins with it, or the only one that has all its words. It reports
// false if there is none.
func Nearest(name string, valid []string) (string, bool) {
	best, distance := "", min(1+utf8.RuneCountInString(name)/4, 3)+1
	for _, candidate := range valid {
		d := 0
		if plainName(candidate) != plainName(name) {
			d = Distance(name, candidate)
		}
		if d < distance && d < max(utf8.RuneCountInString(candidate), 2) {
			best, distance = candidate, d
		}
	}
	if best != "" || utf8.RuneCountInString(name) < 3 {
		return best, best != ""
	}
	for _, fits := range []func(candidate, name string) bool{strings.HasPrefix, hasWords} {
		for _, candidate := range valid {
			if !fits(candidate, name) {
				continue
			}
			if best != "" {
				return "", false
			}
			best = candidate
		}
		if best != "" {
			return best, true
		}
	}
	return "", false
}

// hasWords reports whether a candidate has all words of a name, in their order, and perhaps others between them.
func hasWords(candidate, name string) bool {
	wanted := words(name)
	if len(wanted) == 0 {
		return false
	}
	for _, word := range words(candidate) {
		if len(wanted) > 0 && word == wanted[0] {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
}

func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// maxCompared is how many characters of a name are compared.
const maxCompared = 200

// Distance counts the characters to insert, delete, replace or swap with their neighbour that turn one name into another. It
// compares the first 200 characters.
func Distance(from, to string) int {
	a, b := []rune(First(from, maxCompared)), []rune(First(to, maxCompared))
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
