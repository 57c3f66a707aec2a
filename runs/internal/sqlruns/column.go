package sqlruns

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// micros returns a time as a column keeps it.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// textOf returns a document as a column keeps it.
func textOf(d runs.Document) sql.NullString {
	return sql.NullString{String: string(d), Valid: len(d) > 0}
}

// document reads a document.
type document struct{ into *runs.Document }

func (d document) Scan(value any) error {
	var text sql.NullString
	if err := text.Scan(value); err != nil {
		return err
	}
	*d.into = nil
	if text.Valid {
		*d.into = runs.Document(text.String)
	}
	return nil
}

// jsonOf returns a value in JSON as a column keeps it.
func jsonOf(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), err
}

// nullable returns a value in JSON, or NULL for none.
func nullable[T any](value *T) (sql.NullString, error) {
	if value == nil {
		return sql.NullString{}, nil
	}
	text, err := jsonOf(value)
	return sql.NullString{String: text, Valid: true}, err
}

// decoded reads a value in JSON; NULL leaves it as it is.
type decoded[T any] struct{ into *T }

func (d decoded[T]) Scan(value any) error {
	var text sql.NullString
	if err := text.Scan(value); err != nil || !text.Valid {
		return err
	}
	return json.Unmarshal([]byte(text.String), d.into)
}

// scanNumber reads one number.
func scanNumber(row scanner) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}
