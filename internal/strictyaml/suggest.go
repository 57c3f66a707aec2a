package strictyaml

import (
	"strings"
	"unicode/utf8"
)

// maxListed is how many valid names a hint lists.
const maxListed = 30

// Nearest returns the valid name that the given one was probably meant to be: one that differs by case, "-" or "_" only, by a few
// letters (one in four, at most three), or of which it is the beginning. It reports false when none is near.
func Nearest(name string, valid []string) (string, bool) {
	best, distance := "", min(1+utf8.RuneCountInString(name)/4, 3)+1
	for _, candidate := range valid {
		d := 0
		if plainName(candidate) != plainName(name) {
			d = editDistance(name, candidate)
		}
		if d < distance && d < max(utf8.RuneCountInString(candidate), 2) {
			best, distance = candidate, d
		}
	}
	if best != "" || utf8.RuneCountInString(name) < 3 {
		return best, best != ""
	}
	for _, candidate := range valid {
		if strings.HasPrefix(candidate, name) {
			if best != "" {
				return "", false
			}
			best = candidate
		}
	}
	return best, best != ""
}

// suggestion is the hint for an unknown name: the nearest valid one, or all of them.
func suggestion(name string, valid []string, what string) string {
	if near, ok := Nearest(name, valid); ok {
		return "did you mean " + quote(near) + "?"
	}
	if len(valid) == 0 {
		return ""
	}
	listed, rest := valid, ""
	if len(valid) > maxListed {
		listed, rest = valid[:maxListed], ", …"
	}
	return "valid " + what + ": " + strings.Join(listed, ", ") + rest
}

func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour.
func editDistance(from, to string) int {
	a, b := []rune(cut(from)), []rune(cut(to))
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
