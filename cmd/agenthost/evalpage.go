package main

import (
	"bytes"
	"context"
	_ "embed" // of the page
	"fmt"
	"html"
	"strings"

	"github.com/agenthost/agenthost/cases/evaluate"
	"github.com/agenthost/agenthost/internal/plaintemplate"
)

// evalPageText is the page of a report. Its values come from models and files of others, so [escaped] prints each of them.
// That makes a value safe between two tags and nowhere else: never put one into a tag, a style or a script.
//
//go:embed evalreport.html
var evalPageText string

// evalColumns are the columns of the tables.
var evalColumns = []any{"Case", "Manifest", "Passed (95 % interval)", "Score", "Median", "95 %", "Tokens", "Cost", "Model calls", "Errors"}

// evalPage returns the report as a page.
func evalPage(s *evaluate.Summary) ([]byte, error) {
	t, err := plaintemplate.Parse("report", evalPageText, plaintemplate.Options{Show: escaped})
	if err != nil {
		return nil, err
	}
	var total, cases []any
	for i := range s.Total {
		total = append(total, evalRow(&s.Total[i], "all cases", change(s.Total[i], s.Before)))
	}
	for i := range s.Before {
		total = append(total, evalRow(&s.Before[i], "last evaluation", ""))
	}
	for i := range s.Cases {
		cases = append(cases, evalRow(&s.Cases[i], s.Cases[i].Case, ""))
	}
	data := map[string]any{"columns": evalColumns, "pairs": nil, "tables": []any{
		map[string]any{"caption": "All cases", "rows": total},
		map[string]any{"caption": "By case", "rows": cases},
	}}
	if p := s.Pairs; p != nil {
		data["pairs"] = map[string]any{"own": interval(p.Own), "against": interval(p.Against), "neither": p.Ties, "errors": p.Errors}
	}
	var page bytes.Buffer
	err = t.Execute(context.Background(), &page, data)
	return page.Bytes(), err
}

// evalRow returns the data of a row of a table. Change says how the row differs from an earlier one; it may be empty.
func evalRow(row *evaluate.Row, name, change string) map[string]any {
	why := make([]any, len(row.Why))
	for i := range row.Why {
		why[i] = row.Why[i]
	}
	return map[string]any{"name": name, "change": change, "variant": row.Variant, "why": why, "numbers": []any{
		interval(row.Passed), score(row.Score), short(row.Median), short(row.Slow), row.Usage.TotalTokens, row.Costs(), row.Calls, row.Errors,
	}}
}

// escaped prints a value as text of a page.
func escaped(value any) (string, error) {
	return html.EscapeString(strings.ReplaceAll(strings.ToValidUTF8(fmt.Sprint(value), "\ufffd"), "\x00", "\ufffd")), nil
}
