package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/errortext"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/manifest"
)

// aboutDiagnostics is the first file of the zip file.
const aboutDiagnostics = `Diagnostics of agenthost, for a bug report.

version.txt      the version of the command, and the machine
doctor.txt       what 'agenthost doctor' finds
config.txt       the values of the manifest and where they come from; *** is a secret, (text of N characters) a text
plugins.txt      what 'agenthost plugin inspect' shows of the manifest's plugins
environment.txt  the names of environment variables that matter, and whether they are set

There are no conversations, no secrets and no values of environment variables in these files. Values that look like ordinary words, such as
names of models and addresses of servers, are shown. Look at the files before you publish them.
`

// diagnose returns the files of the zip file. A manifest with an error is described like any other.
func (a *app) diagnose(ctx context.Context) ([]diagnosticFile, error) {
	a.watch = &usedVariables{}
	d := &doctor{app: a}
	if err := d.look(ctx); err != nil {
		return nil, err
	}
	config, plugins, texts := a.configAndPlugins(ctx)
	if ctx.Err() != nil {
		return nil, interrupted()
	}
	private := mask.Of(minSecret, texts...)
	for i := range d.checks {
		if d.checks[i].Outcome == checkFailed { // an error may quote a text; elsewhere the same words are names of other things
			d.checks[i].Found = private.Text(d.checks[i].Found)
		}
	}
	files := []diagnosticFile{
		{"README.txt", aboutDiagnostics},
		{"version.txt", fmt.Sprintf("%s\ncpus: %d, GOMAXPROCS: %d\n", versionLine(), runtime.NumCPU(), runtime.GOMAXPROCS(0))},
		{"doctor.txt", withoutLines(describeChecks(d.checks))},
		{"config.txt", config},
		{"plugins.txt", plugins},
		{"environment.txt", a.watch.describe()},
	}
	hidden := a.watch.mask() // only now are all variables known
	for i := range files {
		if i > 0 {
			files[i].content = atHome(hidden.Text(files[i].content))
		}
	}
	return files, nil
}

// configAndPlugins describes the manifest and its plugins, or says why it cannot be read. It also returns the manifest's texts, which it leaves out.
func (a *app) configAndPlugins(ctx context.Context) (config, plugins string, texts []string) {
	engine := a.engine(a.logger())
	defer func() { _ = engine.Close() }() // the process is about to end
	m, err := manifest.Load(a.file, a.watch.watching(manifest.Options{Set: a.set, Engine: engine, InMemory: true}))
	if err != nil {
		return "the manifest cannot be read: " + withoutLines(errortext.Of(err)) + "\n", "", nil
	}
	values, err := m.Values(true)
	if err != nil {
		return errortext.Of(err) + "\n", "", nil
	}
	for i := range values {
		if isText(values[i]) {
			texts = append(texts, unquoted(values[i].Value))
		}
		values[i].Value = withoutText(values[i])
		values[i].Origin = withoutAssignment(values[i].Origin)
	}
	var out strings.Builder
	for _, w := range m.Plugins() {
		if ctx.Err() != nil {
			break
		}
		in := author.Inspect(ctx, plugin.Wasm{ID: w.ID, Path: w.Path, SHA256: w.SHA256, Minisign: w.Minisign, Signature: w.Signature, Engine: engine})
		if err := printInspection(&out, in); err != nil {
			out.WriteString(err.Error() + "\n")
		}
	}
	return describeValues(values, true), out.String(), texts
}

var (
	// unnamed matches the keys of values that may be secrets although their names do not say so: arguments of commands, the configuration
	// of plugins, and prompts and other texts.
	unnamed = lazyregexp.New(`\bcommand\[[1-9]\d*\]$|^middleware\[\d+\]\.config\.|^system_prompt\[\d+\]\.|` +
		`\b(system_prompt|description|content|say|message)$`)
	// plain matches values that are no secrets.
	plain = lazyregexp.New(`^(true|false|null|\d{1,6}|\{\}|\[\]|\*\*\*|\$\{\w+\})$`)
	// addressParts matches the parts of an address that may be secrets: the user, and the query.
	addressParts = lazyregexp.New(`(://)[^/@\s]*(@)|(\?)\S+`)
)

// maxValue is the length of the longest value that is shown, in characters.
const maxValue = 60

// withoutText returns the value without texts: prompts and descriptions are nobody's business, and a secret may be anywhere in them.
func withoutText(v manifest.Value) string {
	if size := utf8.RuneCountInString(v.Value); size > maxValue || isText(v) {
		return fmt.Sprintf("(text of %d characters)", size)
	}
	return addressParts().ReplaceAllString(v.Value, "$1$3***$2")
}

// isText reports whether a value consists of several words, or is for the plugin, the command or the model that it is given to.
func isText(v manifest.Value) bool {
	words := strings.ContainsFunc(v.Value, unicode.IsSpace) || strings.Contains(v.Value, `\n`)
	return words || unnamed().MatchString(v.Key) && !plain().MatchString(v.Value)
}

// unquoted returns a text as it is, where an assignment writes it in quotes.
func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// withoutAssignment returns the origin of a value without the value of a flag.
func withoutAssignment(origin string) string {
	flag, _, isFlag := strings.Cut(origin, "=")
	if !isFlag || !strings.HasPrefix(origin, "--") {
		return origin
	}
	return flag
}

// withoutLines returns a text without the lines of a manifest that errors quote.
func withoutLines(found string) string {
	var kept []string
	for line := range strings.SplitSeq(found, "\n") {
		if !quotedLine().MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// quotedLine matches a line of a file in an error.
var quotedLine = lazyregexp.New(`^\s*(│\s*)?(\d+)?\s*\|`)
