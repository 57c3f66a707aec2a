// Package bundle makes the script and the style of the page out of their sources.
package bundle

import (
	"fmt"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// Bundle returns the files of the page by their names, made of the sources in a directory. Equal sources give equal bytes.
func Bundle(web string) (map[string][]byte, error) {
	dir, err := filepath.Abs(web)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: "./main.js", OutputPath: "studio"}, {InputPath: "./style.css", OutputPath: "studio"}},
		AbsWorkingDir:       dir, Outdir: dir, Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		TsconfigRaw: "{}", Alias: map[string]string{
			"preact": "./vendor/preact/dist/preact.mjs", "preact/hooks": "./vendor/preact/hooks/dist/hooks.mjs", "htm": "./vendor/htm/dist/htm.module.js",
			"@preact/signals": "./vendor/signals/dist/signals.mjs", "@preact/signals-core": "./vendor/signals-core/dist/signals-core.mjs",
		},
	})
	for _, problem := range append(result.Errors, result.Warnings...) {
		return nil, fmt.Errorf("studio: the page cannot be bundled: %s", api.FormatMessages([]api.Message{problem}, api.FormatMessagesOptions{})[0])
	}
	out := map[string][]byte{}
	for _, file := range result.OutputFiles {
		out[filepath.Base(file.Path)] = file.Contents
	}
	return out, nil
}
