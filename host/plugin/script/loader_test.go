package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/internal/testcache"
)

// compiled is shared by all tests: the script engine is compiled once.
var compiled *plugin.Engine

func TestMain(m *testing.M) {
	var err error
	if compiled, err = plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Memory: 4 << 30, Loaders: []plugin.Loader{script.Loader{}}}); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := compiled.Close(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// sayer is a model that says hello.
type sayer struct{}

func (sayer) Info() model.Info { return model.Info{Name: "sayer"} }

func (sayer) Generate(context.Context, *model.Request) (*model.Response, error) {
	return model.Reply(abi.AI("hello")), nil
}

// write writes files below a new directory, and returns the directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// run runs an agent around the script, and returns what it says.
func run(t *testing.T, path string) (string, error) {
	t.Helper()
	agent, err := host.New(host.Config{Model: sayer{}, Middleware: []host.Middleware{
		plugin.Wasm{ID: "x", Path: path, Engine: compiled, Limits: plugin.Limits{Deadline: time.Minute}},
	}})
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	if err != nil {
		return "", err
	}
	last, _ := result.Messages.Last()
	return last.Content.Text(), nil
}

// upper is a plugin that imports its work from another file.
const upper = `import { plugin } from "agenthost"
import { upper } from "%s"

interface Reply { content: string }

export default plugin({
	name: "upper", version: "1.0.0",
	wrapModelCall(call: any) {
		const reply = call.next()
		const said: Reply = reply.messages[0]
		return upper(said.content)
	},
})
`

func TestScripts(t *testing.T) {
	t.Parallel()
	const work = "type Text = string\n\nexport function upper(s: Text): Text {\n\tif (s === \"\") throw new Error(\"empty\")\n\treturn s.toUpperCase()\n}\n"
	for name, test := range map[string]struct {
		files map[string]string
		path  string
	}{
		"a file": {map[string]string{"upper.ts": fmt.Sprintf(upper, "./lib/work"), "lib/work.ts": work}, "upper.ts"},
		"a directory": {map[string]string{
			"p/package.json": `{"main": "src/upper.ts"}`, "p/src/upper.ts": fmt.Sprintf(upper, "../work.ts"), "p/work.ts": work,
		}, "p"},
		"a package": {map[string]string{
			"upper.ts": fmt.Sprintf(upper, "worker"), "node_modules/worker/package.json": `{"module": "work.ts"}`, "node_modules/worker/work.ts": work,
		}, "upper.ts"},
		"javascript": {map[string]string{
			"upper.mjs": "import { plugin } from \"agenthost\"\nexport default plugin({ name: \"x\", version: \"1\", wrapModelCall: () => \"HELLO\" })",
		}, "upper.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := run(t, filepath.Join(write(t, test.files), test.path))
			require.NoError(t, err)
			require.Equal(t, "HELLO", said)
		})
	}
}

func TestErrorsNameTheSource(t *testing.T) {
	t.Parallel()
	const work = "type Text = string\n\ninterface Unused {\n\ta: string\n}\n\nexport function upper(s: Text): Text {\n\tthrow new Error(\"broken\")\n}\n"
	hook := fmt.Sprintf(upper, "./lib/work")
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"when it runs":    {map[string]string{"x.ts": hook, "lib/work.ts": work}, "lib/work.ts:8: Error: broken"},
		"when it loads":   {map[string]string{"x.ts": "interface A { a: string }\n\nconst a: any = null\na.b()\n"}, "x.ts:4: TypeError"},
		"a loop":          {map[string]string{"x.ts": "interface A { a: string }\n\nexport const a = 1\nfor (;;) Math.abs(a)\n"}, "x.ts:4: InternalError: interrupted"},
		"syntax":          {map[string]string{"x.ts": "const a: = 1\n"}, "x.ts:1: "},
		"a Node module":   {map[string]string{"x.ts": "\nimport fs from \"node:fs\"\nfs.a()\n"}, `x.ts:2: the module "node:fs" of Node.js does not exist in a plugin`},
		"a missing file":  {map[string]string{"x.ts": "import { a } from \"./a\"\na()\n"}, `x.ts:1: Could not resolve "./a"`},
		"no default":      {map[string]string{"x.ts": "export const a = 1\n"}, "export default plugin("},
		"a bare Node one": {map[string]string{"x.ts": "import fs from \"fs\"\nfs.a()\n"}, `x.ts:1: the module "fs" of Node.js does not exist in a plugin`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, filepath.Join(write(t, test.files), "x.ts"))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestDirectoriesNeedAMain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{}`: `it has no "main"`, `{`: "package.json", `{"main": "x.ts"}`: "x.ts"} {
		_, err := script.Loader{}.Load(write(t, map[string]string{"package.json": text}))
		require.ErrorContains(t, err, want)
	}
	_, err := script.Loader{}.Load(filepath.Join(t.TempDir(), "x.ts"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLoads(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"p/package.json": "{}", "q/x": "", "x.wasm/package.json": "{}", "r/__init__.py": ""})
	for path, want := range map[string]bool{
		"a.ts": true, "a.mts": true, "a.js": true, "A.MJS": true, "p": true, "q": false, "x.wasm": false, "x.py": true, "r": true, "x.pyc": false,
	} {
		require.Equal(t, want, script.Loader{}.Loads(filepath.Join(dir, path)), path)
	}
}

// The digest of a plugin does not depend on where its files are.
func TestEqualSourcesGiveEqualModules(t *testing.T) {
	t.Parallel()
	files := map[string]string{"upper.ts": fmt.Sprintf(upper, "./lib/work"), "lib/work.ts": "export const upper = (s: string) => s\n"}
	first, err := script.Loader{}.Load(filepath.Join(write(t, files), "upper.ts"))
	require.NoError(t, err)
	second, err := script.Loader{}.Load(filepath.Join(write(t, files), "upper.ts"))
	require.NoError(t, err)
	require.Equal(t, first, second)
}

// replace replaces a file at once, as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

// watched makes an agent with a plugin that is watched, and returns a function that compares what the agent says.
func watched(t *testing.T, path string) (says func(want string)) {
	t.Helper()
	agent, err := host.New(host.Config{Model: sayer{}, Middleware: []host.Middleware{
		plugin.Wasm{ID: "x", Path: path, Engine: compiled, Watch: true, Limits: plugin.Limits{Deadline: time.Minute}},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return func(want string) {
		t.Helper()
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		last, _ := result.Messages.Last()
		require.Equal(t, want, last.Content.Text())
	}
}

// A plugin that is watched is loaded again when any of its files changes, also while another one is broken.
func TestWatchedScripts(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"p/package.json": `{"main": "x.ts"}`, "p/x.ts": fmt.Sprintf(upper, "./a"), "p/a.ts": "export const upper = (s: string) => s + \" one\"\n",
	})
	change := func(name, text string) { replace(t, filepath.Join(dir, "p", name), text) }
	says := watched(t, filepath.Join(dir, "p"))
	says("hello one")
	change("a.ts", "export const upper = (s: string) => s + \" two\"\n")
	says("hello two")
	change("a.ts", "export const upper = (\n")
	says("hello two")
	change("a.ts", "export { upper } from \"./b\"\n")
	change("b.ts", "export const upper = (s: string) => s + \" three\"\n")
	says("hello three")
	change("b.ts", "export const upper = (s: string) => s + \" four\"\n")
	says("hello four")
	change("y.ts", fmt.Sprintf(upper, "./c"))
	change("c.ts", "export const upper = (s: string) => s + \" five\"\n")
	change("package.json", `{"main": "y.ts"}`)
	says("hello five")
}
