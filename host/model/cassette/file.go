package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Version is the version of the format. Within a version, keys are only ever added.
const Version = 1

// MaxSize is the size of the largest cassette that is read, in bytes.
const MaxSize = 64 << 20

// Cassette holds the exchanges of an agent's models.
type Cassette struct{ lines []line }

// Len returns the number of exchanges.
func (c *Cassette) Len() int {
	n := 0
	for i := range c.lines {
		if c.lines[i].Info == nil {
			n++
		}
	}
	return n
}

// Requests returns the requests to the model with this name, in the order in which they were answered, each as a document.
func (c *Cassette) Requests(name string) (out []wire.Raw) {
	for i := range c.lines {
		if l := &c.lines[i]; l.Model == name && !l.Request.IsZero() {
			out = append(out, l.Request)
		}
	}
	return out
}

// Write writes the cassette as lines of JSON.
func (c *Cassette) Write(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line{Version: Version}); err != nil {
		return err
	}
	for i := range c.lines {
		if err := encoder.Encode(&c.lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// Load reads a cassette. The error names the file and the line.
func Load(path string) (*Cassette, error) {
	text, err := regularfile.Read(path, MaxSize)
	if err != nil {
		return nil, err
	}
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Read reads a cassette, which must not be larger than [MaxSize].
func Read(from io.Reader) (*Cassette, error) {
	lines := bufio.NewScanner(io.LimitReader(from, MaxSize+1))
	lines.Buffer(nil, MaxSize)
	out := &Cassette{}
	number := 0
	for lines.Scan() {
		number++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d: this is not a line of a cassette of models: %w", number, err)
		}
		if number == 1 && l.Version == 0 {
			return nil, errNoCassette
		}
		if err := out.add(&l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if number == 0 && lines.Err() == nil {
		return nil, errNoCassette
	}
	return out, lines.Err()
}

var errNoCassette = errors.New(`this is not a cassette of models: the first line must be {"model_cassette":1}; record one with 'agenthost test --record'`)

// add adds a line after it has checked it.
func (c *Cassette) add(l *line) error {
	requests := l.requests()
	switch {
	case l.Version > Version:
		return fmt.Errorf("the cassette has version %d, and this program reads up to version %d; update the program", l.Version, Version)
	case l.Version != 0:
		return nil
	case l.Model == "":
		return errors.New("the name of the model is missing")
	case requests > 1:
		return errors.New("the line has more than one request")
	case requests == 1 && (l.Response == nil) == (l.Error == nil):
		return errors.New("an exchange needs either a response or an error")
	case requests == 0 && l.Info == nil:
		return errors.New("the line has neither an info nor a request")
	}
	if requests == 1 && l.Error == nil {
		if err := l.checkAnswer(); err != nil {
			return err
		}
	}
	c.lines = append(c.lines, *l)
	return nil
}
