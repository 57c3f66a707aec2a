package cases

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Dataset is a table. The case is performed once for each row: ${COLUMN} in a text of the case stands for the row's value.
type Dataset struct {
	// the path of the table, relative to this file: JSON lines (*.jsonl), or CSV with a first line of names (*.csv)
	File    string             `yaml:"file" strict:"required"`
	Limit   int                `yaml:"limit" strict:"min=1"` // use only so many rows, from the beginning
	Columns map[string]Derived `yaml:"columns"`              // further columns by their names
}

// Derived is a column that is a part of another one.
type Derived struct {
	From   string `yaml:"from" strict:"required"`   // the name of the other column
	Regexp string `yaml:"regexp" strict:"required"` // a regular expression (RE2) whose first group is the value, or else the whole match
}

// These bound a dataset.
const (
	maxDataset = 256 << 20 // bytes
	maxRows    = 100_000
)

// LoadAll reads the cases of a file: one, or one for each row of its dataset. An error shows the place in the file.
func LoadAll(path string) ([]*Case, error) {
	c, err := Load(path)
	if err != nil || c.Dataset == nil {
		return []*Case{c}, err
	}
	rows, err := c.Dataset.rows(c.Beside(c.Dataset.File))
	if err != nil {
		return nil, fmt.Errorf("%s: dataset: %w", path, err)
	}
	out := make([]*Case, len(rows))
	for i, row := range rows {
		if out[i], err = c.of(row, i+1); err != nil {
			return nil, fmt.Errorf("row %d of %s: %w", i+1, c.Dataset.File, err)
		}
	}
	return out, nil
}

// row has the values of a row by the names of their columns.
type row map[string]string

// of returns the case for a row.
func (c *Case) of(values row, number int) (*Case, error) {
	expanded, err := c.root.Expand(func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	})
	if err != nil {
		return nil, err
	}
	out := &Case{Path: c.Path, Row: number, text: c.text, root: c.root}
	return out, expanded.Decode(out)
}

// Title names the case: its file, and its row.
func (c *Case) Title() string {
	if c.Row == 0 {
		return c.Path
	}
	return c.Path + "#" + strconv.Itoa(c.Row)
}

// rows reads the table.
func (d *Dataset) rows(path string) ([]row, error) {
	text, err := regularfile.Read(path, maxDataset)
	if err != nil {
		return nil, err
	}
	limit := d.Limit
	if limit == 0 {
		limit = maxRows
	}
	var rows []row
	switch filepath.Ext(path) {
	case ".jsonl", ".ndjson":
		rows, err = jsonRows(text, limit)
	case ".csv":
		rows, err = csvRows(text, limit)
	default:
		return nil, fmt.Errorf("%s must be a file *.jsonl or *.csv", d.File)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", d.File, err)
	case len(rows) == 0:
		return nil, fmt.Errorf("%s has no rows", d.File)
	}
	return rows, d.derive(rows)
}

func jsonRows(text []byte, limit int) (rows []row, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxSize)
	for number := 1; len(rows) < limit && lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var values map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &values); err != nil {
			return nil, fmt.Errorf("line %d: each line must be a JSON object: %w", number, err)
		}
		out := row{}
		for name, value := range values {
			var said string
			if json.Unmarshal(value, &said) != nil {
				said = string(value) // a number, or a value inside the row as JSON
			}
			out[name] = said
		}
		rows = append(rows, out)
	}
	return rows, lines.Err()
}

func csvRows(text []byte, limit int) (rows []row, err error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	names, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	for err == nil && len(rows) < limit {
		var values []string
		if values, err = reader.Read(); err != nil {
			break
		}
		out := row{}
		for i, name := range names {
			out[strings.TrimSpace(name)] = values[i]
		}
		rows = append(rows, out)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rows, err
}

// derive adds the derived columns.
func (d *Dataset) derive(rows []row) error {
	for name, column := range d.Columns {
		expression, err := regexp.Compile(column.Regexp)
		if err != nil {
			return fmt.Errorf("columns.%s: %w", name, err)
		}
		for i, values := range rows {
			from, ok := values[column.From]
			if !ok {
				return fmt.Errorf("columns.%s: row %d of %s has no column %q", name, i+1, d.File, column.From)
			}
			match := expression.FindStringSubmatch(from)
			if match == nil {
				return fmt.Errorf("columns.%s: the expression does not match the column %q of row %d of %s", name, column.From, i+1, d.File)
			}
			values[name] = match[min(1, len(match)-1)]
		}
	}
	return nil
}
