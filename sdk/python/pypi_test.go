package python_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/test/packages"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

// installation is the PyPI package, packed and installed in a new virtual environment without the network.
type installation struct {
	tools  string // the directory of the programs that check it
	packed string // the directory of the wheel and the source distribution
	python string // the Python of the environment, which also finds the modules of the tools
	site   string // the directory of the environment's modules
}

// install makes an installation. Without the tools the test is skipped, or fails in CI.
func install(t *testing.T) installation {
	t.Helper()
	python := testservers.Tool(t, "python/bin/python", "python3")
	i := installation{tools: filepath.Dir(python), packed: t.TempDir()}
	packages.Run(t, ".", nil, python, "-m", "build", "--no-isolation", "--outdir", i.packed, ".") // the wheel is made of the source distribution
	environment := filepath.Join(t.TempDir(), "venv")
	packages.Run(t, ".", nil, python, "-m", "venv", "--without-pip", environment)
	i.python = filepath.Join(environment, "bin", "python")
	wheel := packages.Only(t, filepath.Join(i.packed, "agenthost_sdk-*-py3-none-any.whl"))
	packages.Run(t, ".", nil, python, "-m", "pip", "--python", i.python, "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", wheel)
	i.site = i.modules(t, i.python)
	require.NoError(t, os.WriteFile(filepath.Join(i.site, "tools.pth"), []byte(i.modules(t, python)+"\n"), 0o600))
	return i
}

// modules returns the directory of the modules that a Python finds.
func (i installation) modules(t *testing.T, python string) string {
	t.Helper()
	return strings.TrimSpace(packages.Run(t, i.packed, nil, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
}

// tool returns the path of a program that checks the package.
func (i installation) tool(name string) string { return filepath.Join(i.tools, name) }

// TestThePackedPackage packs and installs the package for users, and checks it as a user has it.
func TestThePackedPackage(t *testing.T) {
	t.Parallel()
	i := install(t)
	work := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(work, "examples"), os.DirFS("../../examples/python")))
	require.NoError(t, os.CopyFS(filepath.Join(work, "test"), os.DirFS("test")))
	examples, err := filepath.Glob(filepath.Join(work, "examples", "*", "*.py"))
	require.NoError(t, err)
	require.Len(t, examples, 6)

	commands, err := programs.Build("cmd/agenthost")
	require.NoError(t, err)
	packages.Run(t, filepath.Join(work, "examples"), nil, filepath.Join(commands, "agenthost"), "plugin", "new", "project", "--lang", "python", "--hooks",
		"before_agent,before_model,wrap_model_call,after_model,wrap_tool_call,after_agent")
	examples = append(examples, filepath.Join(work, "examples", "project", "project.py"))
	tutorial := t.TempDir()
	page, err := os.ReadFile("../../docs/python.md")
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)<!-- file: (\\w+\\.py) -->\n```python\n(.*?)```\n").FindAllSubmatch(page, -1) {
		require.NoError(t, os.WriteFile(filepath.Join(tutorial, string(block[1])), block[2], 0o600))
	}

	licence, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	shipped, err := os.ReadFile(packages.Only(t, filepath.Join(i.site, "agenthost_sdk-*.dist-info", "licenses", "LICENSE")))
	require.NoError(t, err)
	require.Equal(t, string(licence), string(shipped))

	t.Run("has what the engine has", func(t *testing.T) {
		t.Parallel()
		sources, err := filepath.Glob("engine/api/agenthost/*.py")
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			requireSame(t, source, filepath.Join(i.site, "agenthost", filepath.Base(source)))
		}
		requireSame(t, "engine/api/time.py", filepath.Join(i.site, "_agenthost", "_time.py"))
		require.FileExists(t, filepath.Join(i.site, "agenthost", "py.typed"))
		packages.Only(t, filepath.Join(i.packed, "agenthost_sdk-*.tar.gz"))
	})

	t.Run("pytest", func(t *testing.T) {
		t.Parallel()
		pytest := []string{i.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"}
		require.Regexp(t, `(?m)^\d+ passed in `, packages.Run(t, work, nil, append(pytest, "test", "examples")...))
		require.Regexp(t, `(?m)^2 passed in `, packages.Run(t, tutorial, nil, append(pytest, ".")...))
	})

	t.Run("mypy", func(t *testing.T) {
		t.Parallel()
		mypy := []string{i.tool("mypy"), "--strict", "--python-executable", i.python, "--cache-dir", t.TempDir()}
		packages.Run(t, i.site, nil, append(mypy, i.own(t)...)...)
		packages.Run(t, work, nil, append(append(mypy, "test/usage.py", "test/test_testing.py", "test/repeat.py"), examples...)...)
		packages.Run(t, tutorial, nil, append(mypy, ".")...)
	})

	t.Run("stubtest", func(t *testing.T) { // holds the stubs to the sources
		t.Parallel()
		packages.Run(t, work, nil, i.python, "-m", "mypy.stubtest", "--allowlist", "test/stubtest.txt", "agenthost")
	})

	t.Run("pyright", func(t *testing.T) {
		t.Parallel()
		pyright := testservers.Tool(t, "node_modules/pyright/index.js", "node")
		packages.Copy(t, work, "test/pyrightconfig.json")
		packages.Run(t, work, nil, "node", pyright, "--warnings", "--pythonpath", i.python, "-p", "pyrightconfig.json")
		packages.Run(t, i.site, nil, append([]string{"node", pyright, "--warnings", "--pythonpath", i.python}, i.own(t)...)...)
		path := "PATH=" + filepath.Dir(i.python) + string(os.PathListSeparator) + os.Getenv("PATH")
		packages.Run(t, work, []string{path}, "node", pyright, "--verifytypes", "agenthost", "--ignoreexternal")
	})
}

// own returns the files of the installed package with types, relative to the directory of the environment's modules.
func (i installation) own(t *testing.T) []string {
	t.Helper()
	var own []string
	for _, pattern := range []string{"agenthost/*.pyi", "_agenthost/*.py"} {
		found, err := filepath.Glob(filepath.Join(i.site, pattern))
		require.NoError(t, err)
		for _, file := range found {
			if filepath.Base(file) != "_time.py" { // it is the engine's, and has no types
				relative, err := filepath.Rel(i.site, file)
				require.NoError(t, err)
				own = append(own, relative)
			}
		}
	}
	require.Len(t, own, 11)
	return append(own, "agenthost/testing.py", "agenthost/documents.py")
}

func requireSame(t *testing.T, source, installed string) {
	t.Helper()
	want, err := os.ReadFile(source)
	require.NoError(t, err)
	got, err := os.ReadFile(installed)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), installed)
}

// TestTheGuide loads what docs/python.md shows of plugins, in the engine.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/python.md")
	require.NoError(t, err)
	loaded := 0
	for _, block := range regexp.MustCompile("(?s)```python\n(.*?)```\n").FindAllSubmatch(page, -1) {
		source := string(block[1])
		if !strings.Contains(source, "from agenthost import") {
			continue
		}
		loaded++
		if _, _, err := setup(t, source); err != nil { // a declaration alone
			require.ErrorContains(t, err, "the script has no hook and no tool", source)
		}
	}
	require.GreaterOrEqual(t, loaded, 6)
}

// recording is what an engine did with a script, for test/repeat.py.
type recording struct {
	Name        string            `json:"name"`
	File        string            `json:"file"`
	Files       map[string]string `json:"files"`
	Config      []byte            `json:"config"`
	Description []byte            `json:"description"`
	Frames      []recordedFrame   `json:"frames"`
}

type recordedFrame struct {
	Export    string     `json:"export"`
	Input     []byte     `json:"input"`
	Exchanges []exchange `json:"exchanges"`
	Result    []byte     `json:"result"`
}

type exchange struct {
	Op      string `json:"op"`
	Payload []byte `json:"payload"`
	Status  int64  `json:"status"`
	Reply   []byte `json:"reply"`
}

// recorder keeps the calls of a plugin.
type recorder struct {
	mu   sync.Mutex
	made recording
}

func (r *recorder) Record(p *cassette.Plugin, f *cassette.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made.Config, r.made.Description = p.Config, p.Description
	frame := recordedFrame{Export: f.Export, Input: f.Input, Result: f.Result}
	for _, x := range f.Exchanges {
		frame.Exchanges = append(frame.Exchanges, exchange{Op: x.Op, Payload: x.Payload, Status: int64(x.Status), Reply: x.Reply})
	}
	r.made.Frames = append(r.made.Frames, frame)
}

// TestCPythonDoesWhatTheEngineDoes repeats calls of the engine under CPython: each asks for the same, and has the same result byte by byte.
func TestCPythonDoesWhatTheEngineDoes(t *testing.T) {
	t.Parallel()
	python := install(t).python
	scripts := map[string]string{
		"errors":    script("def g(x): return x.none\n@wrap_tool_call\ndef f(r, h):\n  g(h(r))"),
		"a type":    script("@wrap_tool_call\ndef f(r, h): raise HookError('quota', 'used up', data={'a': (1, 2.5)}, retryable=True)"),
		"values":    script("@wrap_tool_call\ndef f(r, h):\n  return {'content': 'x\\ud800', 'artifact': {'b': b'1' * 300, 'f': 0.5, 'n': [-1, -33, -200, -70000, 1 << 63, 200, 70000], 's': 'é' * 40}}"),
		"no value":  script("@wrap_tool_call\ndef f(r, h): return {'content': 'x', 'artifact': [{'a': {1}}]}"),
		"cyclic":    script("@wrap_tool_call\ndef f(r, h):\n  a = []\n  a.append(a)\n  return {'content': 'x', 'artifact': a}"),
		"huge":      script("@wrap_tool_call\ndef f(r, h): return 'x' * (2 << 20)"),
		"a key":     script("@wrap_tool_call\ndef f(r, h): return {'content': 'x', 'artifact': {1: 2}}"),
		"asks":      script("@wrap_tool_call\ndef f(r, h):\n  try: interrupt({'ok': '?'}, key='k')\n  except: pass"),
		"refused":   script("@wrap_tool_call\ndef f(r, h):\n  try: r.runtime.fetch('https://x.example', json={'a': [1]}, headers={'b': 'c'}, timeout=2)\n  except HookError as e: return e.type"),
		"changes":   script("@wrap_tool_call\nasync def f(r, h):\n  m = await h(r.override(args={**r.args, 'more': True}))\n  m.content += '!'\n  return Command(update={'messages': [m, HumanMessage('x')]})"),
		"fails":     script("@wrap_model_call\ndef f(r, h):\n  try: return h(r.override(model='none', system_prompt='s', tools=['search'], tool_choice='auto'))\n  except HookError as e: return e.type"),
		"fields":    script("plugin(fields=[Field('n', int, reducer='add')])\n@before_agent\ndef a(state): return {'n': 2}\n@after_model(messages='new')\ndef b(state, runtime): return {'n': len(state['messages']) + runtime.n}"),
		"time":      script("import datetime, random, time\n@before_model\ndef f(state, runtime):\n  d = datetime.datetime.now()\n  runtime.emit('at', [d.isoformat(), d.strftime('%A %j'), str(datetime.date.today()), time.time(), time.localtime()[:6], time.strftime('%a %d %b %Y %H:%M:%S'), time.strftime('%A %B %c %C %D %e %F %I %j %m %p %r %R %T %u %U %w %W %x %X %y %% %%c'), d.strftime('%c'), time.ctime(), datetime.datetime.fromtimestamp(5).isoformat()])\n  runtime.emit('chance', [random.random(), random.choice('abc'), random.SystemRandom().random(), random.sample(range(99), 5)])"),
		"reads":     script("@before_model\ndef f(state, runtime):\n  runtime.emit('read', [runtime.read_messages(0, 9), runtime.budget(), runtime.run_id, runtime.step])"),
		"a tool":    script("@tool(dynamic=True)\ndef lookup(runtime, q: str, n: int = 1) -> str:\n  'Looks up.'\n  return {'q': [q, n]}\n@wrap_tool_call\ndef f(r, h): return h(r.override(tool=lookup))"),
		"a library": script("import base64, collections, dataclasses, enum, functools, hashlib, itertools, textwrap, typing\n@dataclasses.dataclass\nclass A:\n  a: int\n  b: str = 'x'\n@wrap_model_call\ndef f(r, h):\n  return json.dumps([repr(A(1)), hashlib.sha256(b'x').hexdigest(), base64.b64encode(b'x').decode(), collections.Counter('aab').most_common(), textwrap.wrap('a b c', 3), re.findall('[a-z]+', 'a1bc'), math.pi])"),
	}
	ports, err := filepath.Glob("testdata/langchain/*.py")
	require.NoError(t, err)
	require.NotEmpty(t, ports)
	for _, port := range ports {
		source, err := os.ReadFile(port)
		require.NoError(t, err)
		scripts[filepath.Base(port)] = string(source)
	}
	var all []recording
	for name, source := range scripts {
		var r recorder
		_, _, _ = run(t, source, func(w *plugin.Wasm) { w.Recorder = &r })
		require.NotEmpty(t, r.made.Frames, name)
		r.made.Name, r.made.File, r.made.Files = name, "policy.py", map[string]string{"policy.py": source}
		all = append(all, r.made)
	}
	document, err := json.Marshal(all)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), python, "test/repeat.py")
	command.Stdin = bytes.NewReader(document)
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Empty(t, string(said))
}
