// Command gen writes codecs and JSON Schemas for the structs of a plugin: its configuration, the arguments of its
// tools, and the values of its state fields. They replace reflection at run time, which makes a guest large and slow.
//
//	//go:generate go run github.com/agenthost/agenthost/sdk/go/gen
//
// Gen reads the package in the current directory and writes agenthost_gen.go. The file has the methods of
// sdk.Document for each struct whose comment has the line //agenthost:document. In a struct such as
//
// // Args are the arguments of a search tool.
//
//	//
//	//agenthost:document
//	type Args struct {
//		// what to look for
//		Query string `json:"query" minLength:"1"`
//		Limit int    `json:"limit" default:"5" minimum:"1" maximum:"50"`
//		By    Order  `json:"by,omitempty"`
//	}
//
// comments become descriptions. The tag jsonschema:"..." does the same, as for tools of the host. The constants of a string
// type such as Order become an enum. A key is required unless it has a default, is a pointer, or has omitempty. Without a
// tag, the key is the field's name in snake case. Tags with the name of a JSON Schema keyword are copied into the schema:
// default, enum (comma-separated values), minimum, maximum, minLength, maxLength, pattern, minItems, maxItems. Fields may be
// booleans, numbers, strings, []byte, sdk.Raw, sdk.Map, other documents of the package, slices and maps with string keys of
// these, and pointers to them.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/internal/codegen"
)

func main() {
	flag.Usage = func() {
		_, _ = fmt.Fprintf(flag.CommandLine.Output(), "usage: gen [DIR]\n\nWrites DIR/%s: codecs and JSON Schemas of the structs marked "+
			"//agenthost:document.\nSee go doc github.com/agenthost/agenthost/sdk/go/gen.\n", codegen.Output)
	}
	flag.Parse()
	dir := "."
	switch flag.NArg() {
	case 0:
	case 1:
		dir = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err := run(dir); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	code, err := codegen.Generate(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, codegen.Output), code, 0o644) //nolint:gosec // source code
}
