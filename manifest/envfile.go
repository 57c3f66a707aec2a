package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/joho/godotenv"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// environment returns a function that looks up variables: first in the environment and, if a variable is missing or empty there, in
// the manifest's env_file. inFile reports whether a variable is from that file; nil if there is none. If told is not nil, it is told the
// variables of that file.
func environment(
	root strictyaml.Node, lookup func(name string) (string, bool), resolve func(path string) string, told func(values map[string]string),
) (both func(name string) (string, bool), inFile func(name string) bool, err error) {
	entry, ok := root.Get("env_file")
	if !ok {
		return lookup, nil, nil
	}
	entry, err = entry.Expand(lookup)
	if err != nil {
		return nil, nil, err
	}
	var file string
	if err := entry.Decode(&file); err != nil {
		return nil, nil, err
	}
	content, err := readFile(resolve(file), "a file of lines NAME=VALUE")
	if err != nil {
		return nil, nil, located(entry, beside(resolve(file), file, err))
	}
	values, err := godotenv.Parse(bytes.NewReader(content))
	if err != nil { // the error may show a line, which may hold a secret
		return nil, nil, entry.Errorf("%s: %s is not of the form NAME=VALUE, or its quotation mark is not closed; correct the file", file, lineOfFault(content))
	}
	inFile = func(name string) bool {
		of, _ := lookup(name)
		return of == "" && values[name] != ""
	}
	if told != nil {
		told(values)
	}
	return func(name string) (string, bool) {
		of, ok := lookup(name)
		if of != "" {
			return of, true
		}
		if value, ok := values[name]; ok {
			return value, true
		}
		return of, ok
	}, inFile, nil
}

// maxSearched is the number of lines of an env_file in which a fault is searched.
const maxSearched = 1000

// lineOfFault names the line of an env_file at which it ceases to be valid. The lines before form a valid file.
func lineOfFault(content []byte) string {
	lines := bytes.SplitAfter(content, []byte("\n"))
	for n := min(len(lines), maxSearched); n > 0; n-- {
		if _, err := godotenv.UnmarshalBytes(bytes.Join(lines[:n-1], nil)); err == nil {
			return fmt.Sprintf("line %d", n)
		}
	}
	return "a line"
}

// exampleSuffix is what a project appends to the name of an env_file for a copy without values.
const exampleSuffix = ".example"

// beside returns the error of an env_file at a path. If the file is missing and an example of it lies beside it, the error says to copy that.
func beside(path, file string, err error) error {
	if _, missing := errors.AsType[*NotFoundError](err); !missing {
		return err
	}
	if info, failed := os.Stat(path + exampleSuffix); failed != nil || !info.Mode().IsRegular() {
		return err
	}
	return fmt.Errorf("%w; copy %[2]s%[3]s to %[2]s, and fill in the values", err, file, exampleSuffix)
}
