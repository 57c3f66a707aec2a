package httptool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/terminal"
)

// maxSteps is how many steps a pointer may have.
const maxSteps = 64

// parsePointer reads a JSON pointer. The empty pointer has no steps and refers to the whole document.
func parsePointer(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, errors.New("a JSON pointer must begin with a slash, as in /current/temperature")
	}
	steps := strings.Split(text[1:], "/")
	if len(steps) > maxSteps {
		return nil, fmt.Errorf("the pointer has more than %d steps", maxSteps)
	}
	for i, step := range steps {
		unescaped := strings.NewReplacer("~0", "", "~1", "").Replace(step)
		if strings.Contains(unescaped, "~") {
			return nil, errors.New("a JSON pointer contains a ~; write ~0 for a ~, and ~1 for a slash in a name")
		}
		steps[i] = strings.NewReplacer("~0", "~", "~1", "/").Replace(step)
	}
	return steps, nil
}

// lookUp returns the value that the steps lead to. A document may be hostile: it is read once for each step, and nothing off
// the path is kept. The error is written for the model.
func lookUp(document json.RawMessage, steps []string) (json.RawMessage, error) {
	if !json.Valid(document) {
		return nil, errors.New("the response is not JSON")
	}
	for i, step := range steps {
		value, keys, err := inside(document, step)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, fmt.Errorf("the response has nothing at %q%s", "/"+strings.Join(steps[:i+1], "/"), thereAre(keys))
		}
		document = value
	}
	return document, nil
}

// thereAre lists the existing keys.
func thereAre(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "; there are " + terminal.Lines(keys)
}

// inside returns a member of an object or an item of a list. If the step names no member or item, value is nil and keys holds some
// that exist.
func inside(document json.RawMessage, name string) (value json.RawMessage, keys []string, err error) {
	d := json.NewDecoder(bytes.NewReader(document))
	opened, err := d.Token()
	if err != nil {
		return nil, nil, err
	}
	switch opened {
	case json.Delim('{'):
		return inObject(d, name)
	case json.Delim('['):
		value, err = inList(d, name)
		return value, nil, err
	default:
		return nil, nil, nil
	}
}

// maxKeys is how many names a failed look-up shows.
const maxKeys = 20

// inObject finds a member; if several have the same name the last counts, as in encoding/json.
func inObject(d *json.Decoder, name string) (value json.RawMessage, keys []string, err error) {
	var other json.RawMessage
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		if key == name {
			value = nil
			if err := d.Decode(&value); err != nil {
				return nil, nil, err
			}
			continue
		}
		if len(keys) < maxKeys {
			keys = append(keys, fmt.Sprint(key))
		}
		if err := d.Decode(&other); err != nil {
			return nil, nil, err
		}
	}
	return value, keys, nil
}

func inList(d *json.Decoder, name string) (json.RawMessage, error) {
	var item json.RawMessage
	index, _ := strconv.Atoi(name)
	if strconv.Itoa(index) != name {
		return nil, nil
	}
	for n := 0; d.More(); n++ {
		if err := d.Decode(&item); err != nil {
			return nil, err
		}
		if n == index {
			return item, nil
		}
	}
	return nil, nil
}
