package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBuildInformationNamesTheSources(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]struct {
		build
		sum             string
		release, commit string
	}{
		"":                                   {build: build{version: "devel"}},
		"(devel)":                            {build: build{version: "devel"}},
		"v1.2.3":                             {build: build{version: "v1.2.3"}, release: "v1.2.3"},
		"v1.2.3-rc.1":                        {build: build{version: "v1.2.3-rc.1"}, release: "v1.2.3-rc.1"},
		"v1.2.3+dirty":                       {build: build{version: "v1.2.3+dirty"}},
		"v0.0.0-20261124085411-3a28093f1c0b": {build: build{"v0.0.0-20261124085411-3a28093f1c0b", "3a28093f1c0b", false}},
		"v0.0.0-20261124085411-5b28093f1c0b": {
			build: build{"v0.0.0-20261124085411-5b28093f1c0b", "5b28093f1c0b", true}, sum: "h1:x",
			release: "v0.0.0-20261124085411-5b28093f1c0b", commit: "5b28093f1c0b",
		},
		"v1.2.4-0.20261124085411-3a28093f1c0b+dirty": {build: build{"v1.2.4-0.20261124085411-3a28093f1c0b+dirty", "3a28093f1c0b", false}},
	} {
		got := buildOf(&debug.BuildInfo{Main: debug.Module{Version: version, Sum: want.sum}})
		require.Equal(t, want.build, got, version)
		release, commit := got.release()
		require.Equal(t, want.release, release, version)
		require.Equal(t, want.commit, commit, version)
	}
	got := buildOf(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "3a28093f1c0b0000000000000000000000000000"}, {Key: "vcs.modified", Value: "true"},
	}})
	require.Equal(t, build{"devel", "3a28093f1c0b+", false}, got)
}
