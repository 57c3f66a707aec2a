package main

import (
	"fmt"
	"io"
	"strings"
)

const summaryHead = "## In short\n\n"

// A column of the summary is one case of a suite.
type column struct {
	title, suite, name string
	rows               map[string]string // the suite's row, if its label differs from the name in the summary
}

// summaryColumns are the columns of the summary, in RESULTS.md and README.md.
var summaryColumns = []column{
	{"a hook, 1 KB", "hooks", "hook", map[string]string{ours: "agenthost, TinyGo"}},
	{"the same in TypeScript", "hooks", "hook", map[string]string{ours: "agenthost, TypeScript"}},
	{"in Python", "hooks", "hook", map[string]string{ours: "agenthost, Python"}},
	{"a round", "loop", "plain", nil},
	{"5 middlewares, memory", "loop", "five-memory", nil},
	{"a round in SQLite, the 400th", "checkpoint", "0/400", map[string]string{ours: "agenthost, step", "LangChain Python": "LangGraph, sync"}},
	{"a run over HTTP, 16 clients", "server", "16", map[string]string{ours: oursInSQLite}},
	{"start without plugins", "start", "start", map[string]string{ours: "agenthost without plugins", "Eino, react": "Eino"}},
}

// summaryRows lists the rows of the summary, agenthost first.
var summaryRows = []string{
	ours, "Eino, react", "Eino, ADK", "adk-go", "LangChain Python", "LangChain Python, async", "LangChain JS", peerDev,
	"Extism's SDK (TinyGo)", "hashicorp/go-plugin, gRPC", "HTTP on loopback", "a shell command",
}

// row returns the label of who in the suite.
func (c *column) row(who string) string {
	if row := c.rows[who]; row != "" {
		return row
	}
	return who
}

// cell returns the summary's value for who: a time for agenthost, and a multiple of it for the others.
func (c *column) cell(r *Results, who string) (string, error) {
	of, format := slower(c.suite, c.name, c.row(who), c.row(ours)), times
	if who == ours {
		of, format = value(c.suite, c.row(ours), c.name, nanoseconds), duration
	}
	number, err := of(r)
	if err != nil {
		return "", err
	}
	return format(number), nil
}

// writeSummary prints the times of agenthost and the others' multiples. README.md has some of the rows.
func (r *Results) writeSummary(w io.Writer) {
	titles, rule := []string{"|"}, "|---|"
	var columns []column
	for _, c := range summaryColumns {
		if _, err := c.cell(r, ours); err == nil {
			columns, titles, rule = append(columns, c), append(titles, c.title), rule+"--:|"
		}
	}
	var lines []string
	for _, who := range summaryRows {
		words, empty := make([]string, 0, 1+len(columns)), true
		words = append(words, "| "+who)
		for i := range columns {
			word, err := columns[i].cell(r, who)
			empty = empty && err != nil
			words = append(words, word)
		}
		if !empty {
			lines = append(lines, strings.Join(words, " | ")+" |")
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, summaryHead+"%s |\n%s\n%s\n\n", strings.Join(titles, " | "), rule, strings.Join(lines, "\n"))
	}
}
