package python_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/testcache"
	"github.com/agenthost/agenthost/sdk/python"
)

// compiled is shared by all tests: the engine is compiled once.
var compiled *plugin.Engine

func TestMain(m *testing.M) {
	var err error
	if compiled, err = plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Memory: 4 << 30}); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := compiled.Close(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// searcher calls the tool search once, and then says what it found.
type searcher struct{}

func (searcher) Info() model.Info { return model.Info{Name: "searcher"} }

func (searcher) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("found: " + m.Content.Text())), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x", "n": 2}))), nil
}

// setup builds an agent around one script.
func setup(t *testing.T, source string, change ...func(*plugin.Wasm)) (*host.Agent, *strings.Builder, error) {
	t.Helper()
	module, err := python.Plugin(python.Script{File: "policy.py", Files: map[string]string{"policy.py": source}})
	require.NoError(t, err)
	w := plugin.Wasm{ID: "policy", Bytes: module, Engine: compiled, Limits: plugin.Limits{Deadline: time.Minute}}
	for _, f := range change {
		f(&w)
	}
	var logged strings.Builder
	search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("a needle"), nil
	})
	agent, err := host.New(host.Config{
		Model: searcher{}, Tools: []host.Tool{search}, Middleware: []host.Middleware{w}, Seed: func() uint64 { return 7 },
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Clock:  func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	if err == nil {
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
	}
	return agent, &logged, err
}

// run returns the last message of a run, and what was logged.
func run(t *testing.T, source string, change ...func(*plugin.Wasm)) (*host.Result, string, error) {
	t.Helper()
	agent, logged, err := setup(t, source, change...)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	return result, logged.String(), err
}

// script puts imports in front of a script. They are two lines.
func script(source string) string {
	return "from agenthost import *\nimport json, math, re\n" + source
}

func text(t *testing.T, r *host.Result) string {
	t.Helper()
	last, ok := r.Messages.Last()
	require.True(t, ok)
	return last.Content.Text()
}

func TestScriptsServeHooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"passes on":           {"@wrap_tool_call\ndef f(request, handler):\n  return handler(request)", "found: a needle"},
		"by the call":         {"@wrap_tool_call\ndef f(call):\n  return call.next()", "found: a needle"},
		"says nothing":        {"@wrap_tool_call\ndef f(request):\n  pass", "found: a needle"},
		"answers":             {"@wrap_tool_call\ndef f(r, h):\n  return f'no {r.tool_call[\"name\"]} {r.args[\"n\"]}'", "found: no search 2"},
		"changes the answer":  {"@wrap_tool_call\nasync def f(r, h):\n  m = await h(r)\n  m.content = m.content.upper()\n  return m", "found: A NEEDLE"},
		"only some tools":     {"@wrap_tool_call(tools=['other'])\ndef f(r, h):\n  return 'never'", "found: a needle"},
		"answers for a model": {"@wrap_model_call\ndef f(r, h):\n  return 'no model: ' + r.model", "no model: searcher"},
		"jumps":               {"@before_model(can_jump_to=['end'])\ndef f(state, runtime):\n  return {'jump_to': 'end', 'messages': [AIMessage('stopped')]}", "stopped"},
		"catches errors":      {"@wrap_model_call\ndef f(r, h):\n  try: h(r.override(model='none'))\n  except HookError as e: return e.type", "ENOENT"},
		"messages":            {"@wrap_model_call\ndef f(r, h):\n  return r.messages[-1].text + '!' + r.messages[0].type", "hi!human"},
		"fields": {"plugin(fields=[Field('n', int, reducer='add')])\n@before_agent\ndef a(state): return {'n': 2}\n@before_model\ndef b(state): return {'n': 3}\n" +
			"@wrap_model_call\ndef c(r): return f'n is {r.state[\"n\"]}'", "n is 5"},
		"virtual time":        {"import time, datetime\n@wrap_model_call\ndef f(r): return f'{datetime.datetime.now().isoformat()} {time.time():.0f} {datetime.date.today()}'", "2023-11-14T22:13:20 1700000000 2023-11-14"},
		"documents":           {"@wrap_tool_call\ndef f(r): return json.dumps({**r.args, 'b': 2**63 == 9223372036854775808})", `found: {"n": 2, "q": "x", "b": true}`},
		"denied fetch":        {"@wrap_tool_call\ndef f(r):\n  try: r.runtime.fetch('https://x.example')\n  except HookError as e: return e.type", "found: EDENIED"},
		"budget":              {"@wrap_tool_call\ndef f(r): return f'left {r.runtime.budget()[\"next\"]}'", "found: left 10"},
		"run info":            {"@wrap_tool_call\ndef f(r): return json.dumps(r.runtime.run_info())", `found: {"usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}}`},
		"model info":          {"@wrap_tool_call\ndef f(r): return r.runtime.model_info()['name']", "found: searcher"},
		"no such model":       {"@wrap_tool_call\ndef f(r):\n  try: r.runtime.model_info('huge')\n  except HookError as e: return e.type", "found: ENOENT"},
		"tools":               {"@wrap_model_call\ndef f(r): return ','.join(t['name'] for t in r.tool_specs())", "search"},
		"tokens":              {"@wrap_tool_call\ndef f(r): return str(r.runtime.count_tokens('12345678'))", "found: 2"},
		"denied fetches":      {"@wrap_tool_call\ndef f(r): return ','.join(o.type for o in r.runtime.fetch_all(['https://x.example', {'url': 'https://y.example', 'json': 1}]))", "found: EDENIED,EDENIED"},
		"denied answers":      {"@wrap_tool_call\ndef f(r): return r.runtime.generate_all(['hi'])[0].type", "found: EDENIED"},
		"denied sleep":        {"@wrap_tool_call\ndef f(r):\n  try: r.runtime.sleep(0.5)\n  except HookError as e: return e.type", "found: EDENIED"},
		"no context":          {"@wrap_tool_call\ndef f(r):\n  try: r.runtime.context.tenant\n  except AttributeError as e: return repr(dict(r.runtime.context)) + str(e)[:29]", "found: {}the run's context has no 'ten"},
		"half a pair":         {"@wrap_tool_call\ndef f(r): return '\\ud800x'", "found: \ufffdx"},
		"binary content":      {"@wrap_tool_call\ndef f(r): return {'content': 'x', 'artifact': {'b': b'123', 'f': 0.5, 'n': -1, 'big': 2**64-1, 't': (True, None)}}", "found: x"},
		"deep recursion":      {"def g(n): return g(n + 1) + 1\n@wrap_tool_call\ndef f(r):\n  try: g(0)\n  except RecursionError as e: return type(e).__name__", "found: RecursionError"},
		"deep in native code": {"class A:\n  def __eq__(self, o): return [self] == [A()]\n@wrap_tool_call\ndef f(r):\n  try: A() == 1\n  except RecursionError as e: return type(e).__name__", "found: RecursionError"},
		"nothing is left":     {"@wrap_tool_call\ndef f(r):\n  a = []\n  try:\n    while True: a.append(bytes(1 << 20))\n  except MemoryError as e:\n    a.clear()\n    return type(e).__name__", "found: MemoryError"},
		"too large at once":   {"@wrap_tool_call\ndef f(r):\n  try: 'x' * (1 << 30)\n  except MemoryError as e: return type(e).__name__", "found: MemoryError"},
		"a prompt":            {"@dynamic_prompt\ndef f(request): return 'Be brief.'", "found: a needle"},
		"extends a response":  {"plugin(fields=[Field('k', str)])\n@wrap_model_call\ndef f(r, h):\n  return ExtendedModelResponse(ModelResponse([AIMessage('said')]), Command(update={'k': 'v'}))", "said"},
		"a class": {"class Loud(AgentMiddleware):\n  def __init__(self, mark): self.mark = mark\n  def wrap_tool_call(self, request, handler):\n    m = handler(request)\n" +
			"    return ToolMessage(m.content + self.mark, tool_call_id=request.tool_call['id'])\nplugin(Loud('!'), version='1.0.0')", "found: a needle!"},
		"no eval":    {"@wrap_tool_call\ndef f(r):\n  try: eval('1')\n  except RuntimeError as e: return str(e)", "found: eval() is not available in a plugin"},
		"no files":   {"@wrap_tool_call\ndef f(r):\n  try: open('/etc/passwd')\n  except RuntimeError as e: return str(e)", "found: open() is not available in a plugin"},
		"coroutines": {"async def g(n): return n if n == 0 else await g(n - 1) + 1\n@wrap_tool_call\nasync def f(r, h): return str(await g(10))", "found: 10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _, err := run(t, script(test.source))
			require.NoError(t, err)
			require.Equal(t, test.want, text(t, result))
		})
	}
}

// A hook's own error is not a fault: middleware can retry or answer it.
func TestScriptsFailWithErrorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	const hook = "@wrap_tool_call\ndef f(r):\n"
	for name, test := range map[string]struct{ source, want string }{
		"raises":             {hook + "  raise ValueError('broken')", "policy.py:5: ValueError: broken"},
		"raises deeper":      {"def g(): None.x\n" + hook + "  g()", "policy.py:3: AttributeError: 'NoneType' object has no attribute 'x' (called from policy.py:6)"},
		"raises in library":  {hook + "  json.loads('{')", "policy.py:5: JSONDecodeError: "},
		"raises a type":      {hook + "  raise HookError('quota', 'used up')", "used up"},
		"raises an exit":     {hook + "  raise SystemExit(3)", "policy.py:5: SystemExit: 3"},
		"loops":              {hook + "  while True: pass", "policy.py:5: TimeoutError: the hook runs too long"},
		"loops and traps":    {hook + "  while True:\n    try:\n      while True: pass\n    except: pass", "TimeoutError: the hook runs too long"},
		"loops by recursion": {"def g(n):\n  for _ in range(9): g(n + 1) if n < 99 else 0\n" + hook + "  g(0)", "TimeoutError: the hook runs too long"},
		"waits":              {"class W:\n  def __await__(self): yield\n@wrap_tool_call\nasync def f(r, h): await W()", "waits for something that nobody sends"},
		"cyclic":             {hook + "  a = {}\n  a['a'] = a\n  return {'content': 'x', 'artifact': a}", "nests more than 64"},
		"function":           {hook + "  return {'content': 'x', 'artifact': [1, f]}", "tool_message.artifact[1] is of the type function"},
		"not a number":       {hook + "  return {'content': 'x', 'artifact': math.nan}", "tool_message.artifact is not a finite number"},
		"a set":              {hook + "  return {'content': 'x', 'artifact': {1}}", "artifact is of the type set"},
		"a key":              {hook + "  return {'content': 'x', 'artifact': {1: 2}}", "artifact has a key of the type int"},
		"huge":               {hook + "  return 'x' * (2 << 20)", "larger than 1 MiB"},
		"nonsense":           {hook + "  return 3", "a hook returns None or a dict"},
		"large integer":      {hook + "  return {'content': 'x', 'artifact': 2**64}", "integer of more than 64 bits"},
		"odd exception":      {"class E(Exception):\n  def __str__(self): raise E()\n" + hook + "  raise E()", "E"},
		"sleeps":             {"import time\n" + hook + "  time.sleep(1)", "a hook cannot sleep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := run(t, script(test.source))
			require.ErrorContains(t, err, test.want)
			var fault *plugin.Error
			require.NotErrorAs(t, err, &fault)
		})
	}
}

func TestInterruptsCannotBeSwallowed(t *testing.T) {
	t.Parallel()
	result, _, err := run(t, script("@wrap_tool_call\ndef f(r):\n  try: interrupt({'ok': '?'})\n  except: pass\n  return 'went on'"))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
}

func TestTools(t *testing.T) {
	t.Parallel()
	result, _, err := run(t, script("@tool(dynamic=True)\ndef lookup(q: str, n: int = 1, runtime=None) -> str:\n  'Looks up.'\n  return f'own {n} {q} {len(runtime.idempotency_key) > 0}'\n"+
		"@wrap_tool_call\ndef f(r, h): return h(r.override(tool=lookup))"))
	require.NoError(t, err)
	require.Equal(t, "found: own 2 x True", text(t, result))
}

func TestLogs(t *testing.T) {
	t.Parallel()
	_, logged, err := run(t, script("@wrap_tool_call\ndef f(r):\n  log.warning('careful', {'a': 1})\n  print('said', 2)"))
	require.NoError(t, err)
	require.Contains(t, logged, `level=WARN msg="careful {'a': 1}"`)
	require.Contains(t, logged, `level=INFO msg="said 2"`)
}

// Equal inputs give equal random numbers, in any instance and after any number of calls.
func TestRandomNumbersFollowTheSeed(t *testing.T) {
	t.Parallel()
	source := script("import random\n@wrap_model_call\ndef f(r): return f'{random.random()} {random.SystemRandom().randint(0, 1 << 60)} {list({\"a\", \"b\", \"c\"})}'")
	agent, _, err := setup(t, source)
	require.NoError(t, err)
	var said []string
	for range 3 {
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		said = append(said, text(t, result))
	}
	again, _, err := run(t, source, func(w *plugin.Wasm) { w.Isolation = plugin.IsolateCall })
	require.NoError(t, err)
	require.Equal(t, []string{said[0], said[0], said[0]}, []string{said[1], said[2], text(t, again)})
}

// Every module of the library that the error of an import names can be imported.
func TestTheLibrary(t *testing.T) {
	t.Parallel()
	_, logged, err := run(t, script("@wrap_model_call\ndef f(r):\n  try: import requests\n  except ModuleNotFoundError as e: print(e)"))
	require.NoError(t, err)
	require.Contains(t, logged, "there is no module 'requests' in a plugin")
	_, names, _ := strings.Cut(logged, "of the standard library ")
	names, _, _ = strings.Cut(names, `"`)
	source := "from agenthost import *\n"
	for name := range strings.SplitSeq(names, ", ") {
		source += "import " + name + "\n"
	}
	result, _, err := run(t, source+library)
	require.NoError(t, err)
	require.Equal(t, "ok", text(t, result))
}

// library uses the standard library as middleware does.
const library = `
@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    most: int = 3
    tags: list[str] = dataclasses.field(default_factory=list)

class Kind(enum.Enum):
    READ = "read"

class Total(typing.TypedDict):
    n: int

class Named(typing.NamedTuple):
    a: int

T = typing.TypeVar("T")
class Box(typing.Generic[T]): pass

@functools.lru_cache
def double(n): return 2 * n

@wrap_model_call
def check(request):
    assert Rule("x") == Rule("x", 3, []) and repr(Rule("x")) == "Rule(name='x', most=3, tags=[])", repr(Rule("x"))
    assert Kind("read") is Kind.READ and Named(1).a == 1 and Box[int]
    assert re.sub(r"(\d+)", r"<\1>", "a1b22") == "a<1>b<22>"
    assert json.loads(json.dumps({"a": [1, 2.5, None, "é"]}, indent=1, sort_keys=True)) == {"a": [1, 2.5, None, "é"]}
    assert hashlib.sha256(b"x").hexdigest().startswith("2d711642") and hashlib.md5(b"x").hexdigest().startswith("9dd4e461")
    assert base64.b64encode(b"hello") == b"aGVsbG8=" and math.isclose(math.sqrt(2) ** 2, 2)
    assert datetime.datetime.strptime("2024-02-29", "%Y-%m-%d").strftime("%d %b %Y") == "29 Feb 2024"
    assert time.strftime("%c|%x|%X|%r|%%c", time.gmtime(0)) == "Thu Jan  1 00:00:00 1970|01/01/70|00:00:00|12:00:00 AM|%c"
    assert datetime.datetime(2024, 2, 29, 13).strftime("%c") == "Thu Feb 29 13:00:00 2024" == time.asctime((2024, 2, 29, 13, 0, 0, 3, 60, 0))
    assert datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1) < datetime.datetime.now(datetime.timezone.utc)
    assert collections.Counter("aab").most_common(1) == [("a", 2)] and collections.deque([1, 2], maxlen=1)[0] == 2
    assert collections.namedtuple("P", "x y")(1, 2).y == 2 and double(4) == 8
    assert list(itertools.islice(itertools.count(), 3)) == [0, 1, 2] and operator.itemgetter("a")({"a": 1}) == 1
    assert string.Template("$a").substitute(a=1) == "1" and textwrap.dedent("  a").upper() == "A" and textwrap.shorten("a  b", 9) == "a b"
    assert 0 <= random.choice(range(5)) < 5 and copy.deepcopy([[1]]) == [[1]] and bisect.bisect([1, 2], 1) == 1
    with contextlib.suppress(KeyError): {}["x"]
    return "ok"
`

func TestScriptsThatDoNotLoad(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"syntax":      {"def f(:\n  pass", "policy.py:1: SyntaxError"},
		"indentation": {"x = 1\n  y = 2", "policy.py:2: IndentationError"},
		"raises":      {"a = None\na.b()", "policy.py:2: AttributeError"},
		"no hook":     {"a = 1", "the script has no hook and no tool"},
		"two hooks":   {script("@before_model\ndef f(state): pass\n@before_model\ndef g(state): pass"), "two before_model hooks, f and g"},
		"no module":   {"import os", "there is no module 'os' in a plugin"},
		"an option":   {script("@before_model(can_jump='end')\ndef f(state): pass"), "has no option 'can_jump'"},
		"loops":       {"while True: pass", "policy.py:1: TimeoutError"},
		"two plugins": {script("plugin()\nplugin()"), "policy.py:4: TypeError: plugin() is called twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := setup(t, test.source)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	source := script("def check(config):\n  if config['word'] == 'bad': raise HookError('config', 'that word is taken')\n" +
		"plugin(config_schema={'type': 'object', 'properties': {'word': {'type': 'string', 'default': 'none'}}}, configure=check)\n" +
		"@wrap_model_call\ndef f(r): return r.config['word']")
	result, _, err := run(t, source, func(w *plugin.Wasm) { w.Config = map[string]any{"word": "good"} })
	require.NoError(t, err)
	require.Equal(t, "good", text(t, result))
	_, _, err = setup(t, source, func(w *plugin.Wasm) { w.Config = map[string]any{"word": "bad"} })
	require.ErrorContains(t, err, "that word is taken")
}

func TestAnEngineWithoutAScriptTraps(t *testing.T) {
	t.Parallel()
	_, _, err := setup(t, "", func(w *plugin.Wasm) {
		engine, _, err := anatomy.CutScript(w.Bytes)
		require.NoError(t, err)
		w.Bytes = engine
	})
	require.ErrorContains(t, err, "this is an engine without a script")
}
