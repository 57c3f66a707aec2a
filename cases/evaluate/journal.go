package evaluate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// These are the files of a directory for evaluations.
const (
	latestFile   = "latest.jsonl"   // the journal of the newest evaluation
	previousFile = "previous.jsonl" // that of the one before, which was performed to its end
)

// maxJournal is the size of the largest journal that is read, in bytes.
const maxJournal = 1 << 30

// Journal keeps the results of an evaluation in a file while it goes on.
type Journal struct {
	file *os.File

	Results Results  // what was there when the journal was opened
	Before  *Results // of the evaluation before; nil: there is none
	Resumed bool     // an evaluation that was stopped goes on
}

// journalLine is a line of a journal. Exactly one field is set.
type journalLine struct {
	Plan   string  `json:"plan,omitempty"` // the digest of the plan, in the first line
	Sample *Sample `json:"sample,omitempty"`
	Pair   *Pair   `json:"pair,omitempty"`
	Done   bool    `json:"done,omitempty"` // the evaluation was performed to its end
}

// OpenJournal opens the journal in a directory. If the last evaluation had the same plan and was stopped, it goes on; otherwise
// a new one begins.
func OpenJournal(dir, plan string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	latest, previous := filepath.Join(dir, latestFile), filepath.Join(dir, previousFile)
	j := &Journal{}
	last, err := readJournal(latest)
	if err != nil {
		return nil, err
	}
	if last.done {
		if err := os.Rename(latest, previous); err != nil {
			return nil, err
		}
	}
	before, err := readJournal(previous)
	if err != nil {
		return nil, err
	}
	if before.done {
		j.Before = &before.results
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if j.Resumed = !last.done && last.plan == plan && len(last.results.Samples) > 0; j.Resumed {
		j.Results = last.results
		flags = os.O_WRONLY
	}
	if j.file, err = os.OpenFile(latest, flags, 0o600); err != nil { // conversations are private
		return nil, err
	}
	if j.Resumed { // a line that was cut off is written again
		err = errors.Join(j.file.Truncate(last.size), seekTo(j.file, last.size))
	} else {
		err = j.write(&journalLine{Plan: plan})
	}
	if err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

func seekTo(file *os.File, offset int64) error {
	_, err := file.Seek(offset, 0)
	return err
}

// Add keeps a result.
func (j *Journal) Add(s *Sample, pair *Pair) error {
	return j.write(&journalLine{Sample: s, Pair: pair})
}

// Done notes that the evaluation was performed to its end.
func (j *Journal) Done() error { return j.write(&journalLine{Done: true}) }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

func (j *Journal) write(l *journalLine) error {
	text, err := json.Marshal(l)
	if err == nil {
		_, err = j.file.Write(append(text, '\n'))
	}
	return err
}

// storedJournal is a journal that was read.
type storedJournal struct {
	plan    string
	results Results
	done    bool
	size    int64 // of the whole lines
}

// readJournal reads a journal. A missing file is an empty journal, and a last line that is not whole does not count.
func readJournal(path string) (out storedJournal, err error) {
	text, err := regularfile.Read(path, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text[:bytes.LastIndexByte(text, '\n')+1]))
	lines.Buffer(nil, maxJournal)
	for number := 1; lines.Scan(); number++ {
		var l journalLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || number == 1 && l.Plan == "" {
			return out, fmt.Errorf("%s: line %d is not that of an evaluation; remove the file, or choose another directory", path, number)
		}
		if number == 1 {
			out.plan = l.Plan
		}
		out.results.add(l.Sample, l.Pair)
		out.done = out.done || l.Done
		out.size += int64(len(lines.Bytes())) + 1
	}
	return out, lines.Err()
}
