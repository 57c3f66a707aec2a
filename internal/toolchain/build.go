package toolchain

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// Build describes one build of a plugin.
type Build struct {
	Dir    string    // the sources
	Output string    // the file to write; "": that of [DefaultOutput]
	Debug  bool      // keep debug information
	Log    io.Writer // receives the tools' output
}

// Run builds the plugin and returns the path of its file. The error is a [*SourceError], a [*MissingError] or a
// [*FailedError], or says that ctx ended.
func (b Build) Run(ctx context.Context, l Language) (string, error) {
	dir, err := filepath.Abs(b.Dir)
	if err != nil {
		return "", &SourceError{Dir: b.Dir, Text: err.Error()}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &SourceError{Dir: b.Dir, Text: "there is no such directory"}
	}
	shown := b.Output
	if shown == "" {
		shown = DefaultOutput(b.Dir)
	}
	output, err := filepath.Abs(shown)
	if err != nil {
		return "", &SourceError{Dir: shown, Text: err.Error()}
	}
	job := &Build{Dir: dir, Output: output, Debug: b.Debug, Log: b.Log}
	switch l {
	case Go:
		err = job.golang(ctx)
	case TinyGo:
		err = job.tinygo(ctx)
	case Rust:
		err = job.rust(ctx)
	case TypeScript, JavaScript, Python:
		err = noBuild(b.Dir)
	default:
		_, err = Parse(string(l))
	}
	return shown, err
}
