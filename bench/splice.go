package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// splice replaces the suites that were performed, with their targets and columns of the summary, in the report of an earlier run. The other
// suites of the report stay.
func (r *Results) splice(file string) error {
	earlier, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var now bytes.Buffer
	r.write(&now)
	report, err := spliced(readReport(string(earlier)), readReport(now.String()))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(report), 0o644)
}

// A report is the text of RESULTS.md by its sections, each with its heading.
type report struct {
	head     string
	sections map[string]string
}

const (
	inShort      = "In short"
	targetsTitle = "Targets"
	section      = "\n## "
)

func readReport(text string) *report {
	parts := strings.Split(strings.TrimSuffix(text, "\n"), section)
	r := &report{head: parts[0], sections: map[string]string{}}
	for _, part := range parts[1:] {
		title, _, _ := strings.Cut(part, "\n")
		name, _, _ := strings.Cut(title, ":")
		r.sections[name] = part
	}
	return r
}

// spliced returns the earlier report with what the new one has.
func spliced(earlier, now *report) (string, error) {
	old, found := earlier.sections[targetsTitle]
	if !found {
		return "", errors.New("it is not a report: it has no section with targets")
	}
	all := map[string]string{}
	for _, r := range []*report{earlier, now} {
		maps.Copy(all, r.sections)
	}
	all[inShort] = splicedSummary(earlier.sections[inShort], now.sections[inShort])
	all[targetsTitle] = splicedTargets(old, now.sections[targetsTitle])
	out := []string{splicedHead(earlier.head, now.head)}
	for _, name := range append([]string{inShort, targetsTitle}, strings.Fields(suiteNames())...) {
		if text := all[name]; text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, section) + "\n", nil
}

// splicedHead takes the new versions of the peers.
func splicedHead(earlier, now string) string {
	lines := strings.Split(earlier, "\n")
	for line := range strings.SplitSeq(now, "\n") {
		name, _, isPeer := strings.Cut(line, ": ")
		if !isPeer || !strings.HasPrefix(line, "* ") {
			continue
		}
		if at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+": ") }); at >= 0 {
			lines[at] = line
		}
	}
	return strings.Join(lines, "\n")
}

// splicedTargets takes the new lines of the table, and says again why targets are missed.
func splicedTargets(earlier, now string) string {
	lines := map[string]string{}
	for _, text := range []string{earlier, now} {
		for line := range strings.SplitSeq(text, "\n") {
			if cells := strings.Split(line, " | "); len(cells) == 4 {
				lines[strings.TrimPrefix(cells[0], "| ")] = line
			}
		}
	}
	var judged []judgement
	for i := range targets {
		if line := lines[targets[i].What]; line != "" {
			judged = append(judged, judgement{&targets[i], line, strings.Contains(line, missedMark)})
		}
	}
	var out strings.Builder
	writeJudgements(&out, judged)
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), section[1:]), "\n")
}

// splicedSummary takes the new columns.
func splicedSummary(earlier, now string) string {
	if now == "" {
		return earlier
	}
	titles, rows := readTable(earlier)
	newTitles, newRows := readTable(now)
	for _, title := range newTitles {
		if !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		for who, cells := range newRows {
			if rows[who] == nil {
				rows[who] = map[string]string{}
			}
			rows[who][title] = cells[title]
		}
	}
	slices.SortFunc(titles, func(a, b string) int { return columnOrder(a) - columnOrder(b) })
	lines := []string{"| | " + strings.Join(titles, " | ") + " |", "|---|" + strings.Repeat("--:|", len(titles))}
	for _, who := range summaryRows {
		if rows[who] == nil {
			continue
		}
		cells := []string{"| " + who}
		for _, title := range titles {
			cells = append(cells, rows[who][title])
		}
		lines = append(lines, strings.Join(cells, " | ")+" |")
	}
	return inShort + "\n\n" + strings.Join(lines, "\n") + "\n"
}

func columnOrder(title string) int {
	return slices.IndexFunc(summaryColumns, func(c column) bool { return c.title == title })
}

// readTable returns the titles of a table's columns, and its cells by the row and the title.
func readTable(text string) (titles []string, rows map[string]map[string]string) {
	rows = map[string]map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if titles == nil {
			titles = cells[1:]
			continue
		}
		row := map[string]string{}
		for i, title := range titles {
			row[title] = cells[i+1]
		}
		rows[cells[0]] = row
	}
	return titles, rows
}
