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
		release string
	}{
		"":                                   {build: build{version: "devel"}},
		"(devel)":                            {build: build{version: "devel"}},
		"v1.2.3":                             {build{version: "v1.2.3"}, "v1.2.3"},
		"v1.2.3-rc.1":                        {build{version: "v1.2.3-rc.1"}, "v1.2.3-rc.1"},
		"v1.2.3+dirty":                       {build: build{version: "v1.2.3+dirty"}},
		"v0.0.0-20261124085411-3a28093f1c0b": {build: build{"v0.0.0-20261124085411-3a28093f1c0b", "3a28093f1c0b"}},
		"v1.2.4-0.20261124085411-3a28093f1c0b+dirty": {build: build{"v1.2.4-0.20261124085411-3a28093f1c0b+dirty", "3a28093f1c0b"}},
	} {
		got := buildOf(&debug.BuildInfo{Main: debug.Module{Version: version}})
		require.Equal(t, want.build, got, version)
		require.Equal(t, want.release, got.release(), version)
	}
	got := buildOf(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "3a28093f1c0b0000000000000000000000000000"}, {Key: "vcs.modified", Value: "true"},
	}})
	require.Equal(t, build{"devel", "3a28093f1c0b+"}, got)
}
