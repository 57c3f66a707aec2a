package toolchain

import (
	"context"
	"os"
	"path/filepath"
)

// tinygoFlags are the flags of every build.
//
//   - -scheduler=none: a guest has no goroutines; the default scheduler costs 300 µs in each call
//   - -opt=z: a quarter smaller than 2, and with a meter as fast
//
// No flag sets the stack: TinyGo's -stack-size is for goroutines, and has no effect without a scheduler. Its linker's default,
// 64 KiB, is right for a plugin.
var tinygoFlags = []string{"build", "-target=wasip1", "-buildmode=c-shared", "-scheduler=none", "-opt=z"}

// tinygo builds with TinyGo.
func (b *Build) tinygo(ctx context.Context) error {
	path, root, err := findTinyGo()
	if err != nil {
		return err
	}
	if _, err := find("go"); err != nil {
		return &MissingError{TinyGo, "the go command", "TinyGo works with Go's own: install it from https://go.dev/dl and put it on PATH"}
	}
	project, err := readProject(b.Dir)
	if err != nil {
		return err
	}
	t := &tool{path: path, args: append([]string{}, tinygoFlags...)}
	if project.GC != "" {
		t.args = append(t.args, "-gc="+project.GC)
	}
	if !b.Debug {
		t.args = append(t.args, "-no-debug")
	}
	t.args = append(t.args, "-o", b.Output, ".")
	if root != "" {
		t.environment = []string{"TINYGOROOT=" + root}
	}
	return b.do(ctx, t)
}

// findTinyGo returns the path of TinyGo from $TINYGO, $TINYGOROOT/bin or PATH. root is the value that TINYGOROOT needs, or "" if
// TinyGo finds it by itself.
func findTinyGo() (path, root string, err error) {
	if named := os.Getenv("TINYGO"); named != "" {
		if path, err = find(named); err != nil {
			return "", "", &MissingError{TinyGo, "TinyGo", "$TINYGO is " + named + ", which cannot be run: let it name the program tinygo, or unset it"}
		}
		return path, rootOf(path), nil
	}
	if named := os.Getenv("TINYGOROOT"); named != "" {
		if path, err = find(filepath.Join(named, "bin", "tinygo")); err == nil {
			return path, named, nil
		}
	}
	if path, err = find("tinygo"); err != nil {
		return "", "", &MissingError{
			TinyGo, "TinyGo",
			"Install " + MinTinyGo + " or later from https://tinygo.org/getting-started/install and put it on PATH, or let $TINYGO name the program.\n" +
				"Without it, --lang go builds the same sources with Go alone: the module takes megabytes then, and so does each instance.",
		}
	}
	return path, rootOf(path), nil
}

// rootOf returns the directory into which TinyGo was installed, if path is in its bin and TINYGOROOT is unset; otherwise "".
func rootOf(path string) string {
	if os.Getenv("TINYGOROOT") != "" {
		return ""
	}
	root := filepath.Dir(filepath.Dir(path))
	if _, err := os.Stat(filepath.Join(root, "targets", "wasip1.json")); err != nil { //nolint:gosec // the user's own TinyGo
		return ""
	}
	return root
}
