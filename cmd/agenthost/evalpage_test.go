package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases/evaluate"
)

// A case's name and the differences come from files and models. None of them becomes a tag, an attribute or a comment.
func TestAnEvaluationPageWithHostileTexts(t *testing.T) {
	t.Parallel()
	hostile := []string{
		`<script>alert(1)</script>`, `</td></table><img src=x onerror="alert(1)">`, `'"><svg/onload=alert(1)>`, `<!--`, `-->`, `]]>`, `</ul><style>*{}</style>`,
		`&lt;b&gt;`, `{{.}}`, "a\x00b\xffc", "\u2028<b\u2029>", `<a href="javascript:alert(1)">`,
	}
	s := &evaluate.Summary{Pairs: &evaluate.PairResult{Ties: 2}}
	for _, text := range hostile {
		s.Cases = append(s.Cases, evaluate.Row{Case: text, Variant: text, Why: []string{text, text}})
		s.Total = append(s.Total, evaluate.Row{Variant: text})
		s.Before = append(s.Before, evaluate.Row{Variant: text})
	}
	page, err := evalPage(s)
	require.NoError(t, err)
	for i := range hostile {
		for _, row := range []*evaluate.Row{&s.Cases[i], &s.Total[i], &s.Before[i]} {
			row.Variant = "harmless"
		}
		s.Cases[i].Case, s.Cases[i].Why = "harmless", []string{"harmless", "harmless"}
	}
	harmless, err := evalPage(s)
	require.NoError(t, err)
	tag := regexp.MustCompile(`<[^>]*>`)
	require.Equal(t, tag.FindAllString(string(harmless), -1), tag.FindAllString(string(page), -1), "the tags are those of a harmless page")
	require.NotContains(t, string(page), "\x00")
	require.Contains(t, string(page), "a\ufffdb\ufffdc")
	require.Contains(t, string(page), "<td>&amp;lt;b&amp;gt;", "an entity stays as it was written")
	require.Equal(t, 6, strings.Count(string(page), "&lt;script&gt;alert(1)&lt;/script&gt;"))
}
