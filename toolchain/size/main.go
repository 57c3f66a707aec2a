// Command size prints what the command agenthost consists of: the sizes of its full and its small build, and the code of the
// largest modules in each. Its arguments are the tags of the two.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listed is how many modules are listed.
const listed = 20

const command = "./cmd/agenthost"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./toolchain/size TAGS SMALLTAGS")
		os.Exit(2)
	}
	for i, title := range []string{"full build", "small build"} {
		if err := describe(title, os.Args[i+1]); err != nil {
			fmt.Fprintln(os.Stderr, "size:", err)
			os.Exit(1)
		}
	}
}

// describe prints the table of one build.
func describe(title, tags string) error {
	dir, err := os.MkdirTemp("", "size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	stripped, whole := filepath.Join(dir, "stripped"), filepath.Join(dir, "whole")
	if _, err := run("build", "-trimpath", "-tags", tags, "-ldflags=-s -w", "-o", stripped, command); err != nil {
		return err
	}
	if _, err := run("build", "-trimpath", "-tags", tags, "-o", whole, command); err != nil {
		return err
	}
	info, err := os.Stat(stripped)
	if err != nil {
		return err
	}
	modules, err := modulesOf(tags)
	if err != nil {
		return err
	}
	symbols, err := run("tool", "nm", "-size", whole)
	if err != nil {
		return err
	}
	code := codeOf(symbols, modules)
	fmt.Fprintf(os.Stdout, "%s: %.1f MB (10^6 bytes, without debug information)\n", title, float64(info.Size())/1e6)
	fmt.Fprintf(os.Stdout, "tags: %s\n\n     kB  machine code of a module\n", tags)
	names := slices.SortedFunc(maps.Keys(code), func(a, b string) int { return cmp.Or(cmp.Compare(code[b], code[a]), cmp.Compare(a, b)) })
	for _, name := range names[:min(listed, len(names))] {
		fmt.Fprintf(os.Stdout, "%7d  %s\n", code[name]/1000, name)
	}
	fmt.Fprintln(os.Stdout)
	return nil
}

// modulesOf returns the module of each package.
func modulesOf(tags string) (map[string]string, error) {
	out, err := run("list", "-deps", "-tags", tags, "-f", "{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}Go's standard library{{end}}", command)
	if err != nil {
		return nil, err
	}
	modules := map[string]string{"main": "github.com/agenthost/agenthost"}
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		modules[path] = module
	}
	return modules, nil
}

// codeOf adds up the code of each module. A line of symbols is an address, a size, a kind and a name.
func codeOf(symbols []byte, modules map[string]string) map[string]int {
	code := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(symbols)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || words[2] != "T" && words[2] != "t" {
			continue
		}
		size, err := strconv.Atoi(words[1])
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(words[3], "[")
		slash := strings.LastIndexByte(name, '/') + 1
		path, _, _ := strings.Cut(name[slash:], ".")
		module, ok := modules[strings.ReplaceAll(name[:slash]+path, "%2e", ".")]
		if !ok {
			module = "others, above all code that the compiler made"
		}
		code[module] += size
	}
	return code
}

// run returns the output of the command go.
func run(args ...string) ([]byte, error) {
	c := exec.Command("go", args...) //nolint:gosec,noctx // the commands of this program, which ends with them
	c.Stderr = os.Stderr
	return c.Output()
}
