package backend

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sandboxLibrary has the functions of the operations.
//
//go:embed sandbox.sh
var sandboxLibrary string

const (
	// maxSandboxList is the length of the longest list of files, in bytes. In base64 it fits into [MaxExecuted].
	maxSandboxList = 10 << 20
	// sandboxBlock is the block of a read, in bytes.
	sandboxBlock = 64 << 10
	// sandboxWord is the length of the longest word of a script, in bytes: Linux allows arguments of 128 KiB.
	sandboxWord = 64 << 10
	// maxElement is the length of the longest name of a file, in bytes.
	maxElement = 255
)

// sandboxReasons are the reasons of errors by the word that ends a script's output.
var sandboxReasons = map[string]Reason{
	"notfound": NotFound, "notdir": NotDir, "directory": IsDirectory, "irregular": NotRegular, "link": IsLink, "linked": Linked,
	"outside": Outside, "denied": Denied, "failed": Failed, "root": Failed,
}

// do runs an operation on a path and returns what it has written. before is put in front of it.
func (s *sandboxFiles) do(ctx context.Context, name, before, operation string, args ...string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if slices.ContainsFunc(strings.Split(name, "/"), func(element string) bool { return len(element) > maxElement }) {
		return nil, &Error{Path: name, Reason: BadPath}
	}
	links := "inside"
	if s.refuseLinks {
		links = "refuse"
	}
	var script strings.Builder
	script.WriteString("(\n" + sandboxLibrary + before)
	writeCommand(&script, "begin", s.root, links, strconv.Itoa(maxSandboxList))
	writeCommand(&script, operation, append([]string{name}, args...)...)
	script.WriteString(") 2>/dev/null </dev/null | base64\n")
	done, err := s.executor.Execute(ctx, script.String())
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &Error{Path: name, Err: fmt.Errorf("sandbox: %w", err)}
	}
	output, err := s.outcome(done)
	if own, ok := errors.AsType[*Error](err); ok {
		own.Path = name
	}
	return output, err
}

// writeCommand adds a command with quoted arguments.
func writeCommand(to *strings.Builder, name string, args ...string) {
	to.WriteString(name)
	for _, arg := range args {
		to.WriteString(" '" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
	}
	to.WriteByte('\n')
}

// outcome decodes the output of a script. It has a last line with the outcome.
func (s *sandboxFiles) outcome(done Executed) ([]byte, error) {
	packed := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' {
			return -1
		}
		return r
	}, done.Output)
	output, err := base64.StdEncoding.DecodeString(packed)
	at := bytes.LastIndexByte(output, '\n')
	if err != nil || at < 0 {
		return nil, &Error{Err: fmt.Errorf("the sandbox has answered exit code %d and %.200q; it needs a POSIX shell with base64, find, stat and "+
			"the other tools of coreutils or busybox", done.ExitCode, strings.ToValidUTF8(done.Output, "\uFFFD"))}
	}
	word, text, _ := strings.Cut(string(output[at+1:]), " ")
	if word == "ok" {
		return output[:at], nil
	}
	reason, known := sandboxReasons[word]
	switch {
	case !known:
		return nil, &Error{Err: errors.New("the answer of the sandbox is incomplete")}
	case word == "root":
		return nil, &Error{Err: fmt.Errorf("the sandbox has no directory %s, or its user may not enter it", s.root)}
	case reason == Failed:
		return nil, &Error{Err: fmt.Errorf("the sandbox says %q", strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))}
	}
	return nil, &Error{Reason: reason}
}

// The types of files in the mode of Unix.
const (
	modeType      = 0xf000
	modeDirectory = 0x4000
	modeRegular   = 0x8000
)

// infoLine decodes a line "MODE SIZE TIME NAME" about an entry below a directory. It refuses names that no path can have, and those
// that lead elsewhere.
func infoLine(dir, line string) (Info, bool) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) < 4 {
		return Info{}, false
	}
	mode, err := strconv.ParseUint(fields[0], 16, 32)
	if err != nil {
		return Info{}, false
	}
	size, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || size < 0 {
		return Info{}, false
	}
	seconds, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return Info{}, false
	}
	info := Info{Path: dir, Modified: time.Unix(seconds, 0), Size: -1}
	if name := fields[3]; name != "." {
		below, ok := strings.CutPrefix(name, "./")
		if clean, err := Clean("/" + below); !ok || below == "" || err != nil || clean != "/"+below {
			return Info{}, false
		}
		info.Path = path.Join(dir, below)
	}
	switch mode & modeType {
	case modeDirectory:
		info.Dir, info.Size = true, 0
	case modeRegular:
		info.Size = size
	}
	return info, true
}
