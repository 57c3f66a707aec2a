package manifest

import (
	"bytes"

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
		return nil, nil, located(entry, err)
	}
	values, err := godotenv.Parse(bytes.NewReader(content))
	if err != nil { // the error may show a line, which may hold a secret
		return nil, nil, entry.Errorf("%s has a line that is not of the form NAME=VALUE; correct the file", file)
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
