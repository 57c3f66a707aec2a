package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, commit, ABI version and Go version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionLine())
			return err
		},
	}
}

// versionLine is what the command version and the flag --version print.
func versionLine() string {
	b := thisBuild()
	return fmt.Sprintf("agenthost %s (commit %s, ABI %d.%d, %s, %s/%s)", b.version, cmp.Or(b.commit, "unknown"),
		abi.Major, abi.Minor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// build identifies the sources of a binary.
type build struct {
	version string // of the module, such as v1.2.3; devel if the build did not record one
	commit  string // its first twelve digits, with a "+" for uncommitted changes; "" if unknown
	fetched bool   // Go took the sources from a module proxy or a repository, so that others can too
}

// devel is the version of a build from a working tree.
const devel = "devel"

// pseudoVersion matches a version that Go derives from a commit, such as v0.0.0-20260102030405-0123456789ab.
var pseudoVersion = lazyregexp.New(`^v.*[-.]\d{14}-([0-9a-f]{12})(\+|$)`)

// releaseVersion matches the version of a tag.
var releaseVersion = lazyregexp.New(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// thisBuild reads the build information that the Go toolchain puts into this binary.
func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: devel}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{version: devel, fetched: info.Main.Sum != ""}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	}
	if found := pseudoVersion().FindStringSubmatch(b.version); found != nil {
		b.commit = found[1]
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			b.commit = setting.Value[:min(12, len(setting.Value))]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			b.commit += "+"
		}
	}
	return b
}

// release returns the version of the module that others can get the sources of this binary with, and for a version between two tags the
// commit; "" for any other build.
func (b build) release() (version, commit string) {
	between := pseudoVersion().MatchString(b.version)
	switch {
	case !releaseVersion().MatchString(b.version) || between && !b.fetched:
		return "", ""
	case between:
		return b.version, b.commit
	default:
		return b.version, ""
	}
}
