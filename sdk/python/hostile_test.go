package python_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/test/hostilescripts"
)

// guarded is a script whose wrap_model_call does what an attack says, from line 6 on, if the run begins with "attack", and answers
// "fine" otherwise. It imports what the attack names, since importing is what takes an instance the most time.
func guarded(attack string) string {
	modules := []string{"sys"}
	for _, name := range []string{"collections", "copy", "functools", "itertools", "json", "math", "random", "re"} {
		if strings.Contains(attack, name+".") {
			modules = append(modules, name)
		}
	}
	return "from agenthost import *\nimport " + strings.Join(modules, ", ") + "\n" +
		"@wrap_model_call\ndef hook(request, handler):\n    if request.messages[0].content != 'attack': return 'fine'\n    " +
		strings.ReplaceAll(attack, "\n", "\n    ") + "\n"
}

// TestHostileScripts attacks the engine from inside. An attack is an error of the language, which names its line, or a plain answer;
// only where built-in functions take all the time or memory, a limit ends it. The next run of the same plugin is as good as the first.
func TestHostileScripts(t *testing.T) {
	t.Parallel()
	const (
		at      = "policy.py:"
		tooLong = at + "…TimeoutError: the hook runs too long"
		tooDeep = at + "…RecursionError"
		tooMuch = at + "…MemoryError"
	)
	hostilescripts.Run(t, map[string]hostilescripts.Attack{
		// Loops and recursion
		"loops":                      {"while True: pass", "policy.py:6: TimeoutError: the hook runs too long"},
		"loops in a function":        {"def f():\n  while True: pass\nf()", "policy.py:7: TimeoutError: the hook runs too long (called from policy.py:8)"},
		"loops and catches":          {"while True:\n  try:\n    while True: pass\n  except: pass\n  finally:\n    while True: pass", tooLong},
		"loops in a comprehension":   {"[0 for _ in itertools.count()]", tooLong},
		"a generator without an end": {"def g():\n  while True: yield 1\nfor x in g(): pass", tooLong},
		"delegates without an end":   {"def g():\n  while True: yield from (1, 2)\nfor x in g(): pass", tooLong},
		"recurses":                   {"def f(): return f() + 1\nf()", tooDeep},
		"recurses in branches":       {"def f(n): return f(n + 1) + f(n + 2) if n < 900 else 0\nf(0)", tooLong},
		"recurses without an end":    {"def f(n): return f(n - 1) + f(n - 2) if n > 1 else n\nf(100)", tooLong},
		"recurses and catches":       {"def f():\n  try: f()\n  except: f()\nf()", hostilescripts.Fuel},
		"recurses by a property":     {"class A:\n  @property\n  def a(self): return self.a\nA().a", tooDeep},
		"recurses by getattr":        {"class A:\n  def __getattr__(self, k): return getattr(self, k + 'x')\nA().a", tooDeep},
		"recurses by str":            {"class A:\n  def __str__(self): return str(self)\nreturn str(A())", tooDeep},
		"recurses by repr":           {"class A:\n  def __repr__(self): return repr([self])\nreturn repr(A())", tooDeep},
		"recurses by a comparison":   {"class A:\n  def __eq__(self, o): return [self] == [o]\nA() == A()", tooDeep},
		"recurses by a hash":         {"class A:\n  def __hash__(self): return hash((self,))\nhash(A())", tooDeep},
		"recurses by a sort":         {"class A:\n  def __lt__(self, o): return sorted([self, o])\nsorted([A(), A()])", tooDeep},
		"recurses by call":           {"class A:\n  def __call__(self): return self()\nA()()", tooDeep},
		"recurses by a class":        {"class M(type):\n  def __call__(c): return c()\nclass A(metaclass=M): pass\nA()", tooDeep},
		"recurses with a high limit": {"sys.setrecursionlimit(10 ** 9)\ndef f(): return f() + 1\nf()", tooDeep},
		"recurses high and natively": {"sys.setrecursionlimit(10 ** 9)\nclass A:\n  def __eq__(self, o): return [self] == [o]\nA() == A()", tooDeep},
		"nests lists":                {"a = []\nfor _ in range(100_000): a = [a]\nreturn repr(a)", tooDeep},
		"nests dicts":                {"a = {}\nfor _ in range(100_000): a = {'a': a}\nreturn json.dumps(a)", at},
		"nests and copies":           {"a = []\nfor _ in range(10_000): a = [a]\ncopy.deepcopy(a)", tooDeep},
		"nests tuples and compares":  {"a, b = (), ()\nfor _ in range(100_000): a, b = (a,), (b,)\nreturn str(a == b)", tooDeep},
		"nests iterators":            {"i = iter(())\nfor _ in range(100_000): i = map(str, i)\nlist(i)", hostilescripts.Trap},
		"nests partials":             {"f = int\nfor _ in range(100_000): f = functools.partial(f, k=f)\nreturn repr(f)", ""},
		"nests generators":           {"def g(n): yield from g(n + 1)\nlist(g(0))", tooDeep},
		"nests exceptions":           {"e = None\nfor _ in range(100_000):\n  n = ValueError('x')\n  n.__cause__ = e\n  e = n\nraise e", "policy.py:11: ValueError: x"},
		"a regular expression":       {"return str(re.match('(a+)+$', 'a' * 40 + 'b'))", hostilescripts.Fuel},
		"sums without an end":        {"sum(itertools.repeat(0))", hostilescripts.Fuel},
		"sorts by a loop":            {"def k(x):\n  while True: pass\nsorted([2, 1], key=k)", tooLong},
		"substitutes by a loop":      {"def k(m):\n  while True: pass\nre.sub('a', k, 'aaa')", tooLong},
		"finalizes by a loop":        {"class A:\n  def __del__(self):\n    while True: pass\nA()\nwhile True: pass", tooLong},
		"finalizes and revives":      {"class A:\n  def __del__(self): A()\nA()\nreturn 'x'", ""},
		"interrupts and loops":       {"try: interrupt('?')\nexcept BaseException:\n  while True: pass", ""},
		"interrupts in a finally":    {"try: interrupt('?')\nfinally: return 'swallowed'", ""},
		"interrupts in a generator":  {"def g():\n  try: yield interrupt('?')\n  except BaseException: yield 1\nreturn str(list(g()))", ""},
		"interrupts in a del":        {"class A:\n  def __del__(self): interrupt('?')\nA()\nreturn 'went on'", ""},
		"interrupts and exits":       {"with __import__('contextlib').suppress(BaseException): interrupt('?')\nreturn 'went on'", ""},

		// Memory
		"hoards":                {"a = []\nwhile True: a.append(bytes(1 << 20))", "policy.py:7: MemoryError: out of memory"},
		"hoards and catches":    {"a = []\nwhile True:\n  try: a.append(bytes(1 << 20))\n  except MemoryError: pass", at},
		"hoards little":         {"a = []\nwhile True: a.append([0] * 1000)", tooMuch},
		"doubles a string":      {"s = 'x'\nwhile True: s += s", "policy.py:7: MemoryError: out of memory"},
		"doubles in a call":     {"def f(s): return f(s + s)\nf('x')", tooMuch},
		"doubles bytes":         {"s = b'x'\nwhile True: s = s + s", tooMuch},
		"doubles a bytearray":   {"s = bytearray(b'x')\nwhile True: s = s + s", tooMuch},
		"doubles a list":        {"a = [1]\nwhile True: a += a", tooMuch},
		"doubles a tuple":       {"a = (1,)\nwhile True: a += a", tooMuch},
		"doubles a format":      {"s = 'x'\nwhile True: s = f'{s}{s}'", tooMuch},
		"repeats":               {"return 'x' * (1 << 30)", "policy.py:6: MemoryError"},
		"repeats a list":        {"return [0] * (1 << 30)", "policy.py:6: MemoryError"},
		"a huge width":          {"return '%1000000000d' % 1", "policy.py:6: MemoryError: a width of more than"},
		"a huge star":           {"return '%*d' % (1 << 30, 1)", "policy.py:6: MemoryError: a width of more than"},
		"a huge precision":      {"return '%.1000000000f' % 1", "policy.py:6: MemoryError: a width of more than"},
		"a huge named width":    {"return '%(a)1000000000s' % {'a': 1}", "policy.py:6: MemoryError: a width of more than"},
		"a huge width of bytes": {"return str(b'%1000000000d' % 1)", "policy.py:6: MemoryError: a width of more than"},
		"a huge format":         {"return format(1, '1000000000d')", "policy.py:6: MemoryError: a width of more than"},
		"a huge f-string":       {"return f'{1:>{1 << 30}}'", "policy.py:6: MemoryError: a width of more than"},
		"a huge str.format":     {"return '{:>1000000000}'.format('x')", "policy.py:6: MemoryError: a width of more than"},
		"a huge float":          {"return f'{1.5:.1000000000f}'", "policy.py:6: MemoryError: a width of more than"},
		"pads":                  {"return 'x'.ljust(1 << 30)", "policy.py:6: MemoryError"},
		"fills":                 {"return 'x'.zfill(1 << 30)", "policy.py:6: MemoryError"},
		"expands tabs":          {"return '\\t'.expandtabs(1 << 30)", "policy.py:6: MemoryError"},
		"joins much":            {"return ''.join(['x' * 100_000] * 100_000)", "policy.py:6: MemoryError: out of memory"},
		"replaces much":         {"return ('a' * 100_000).replace('a', 'x' * 100_000)", "policy.py:6: MemoryError: out of memory"},
		"a huge integer":        {"10 ** 10 ** 8", ""},
		"a huger integer":       {"10 ** 10 ** 10", "policy.py:6: MemoryError"},
		"a huge shift":          {"1 << 10 ** 10", "policy.py:6: MemoryError"},
		"multiplies integers":   {"n = 3\nwhile True: n = n * n", hostilescripts.Fuel},
		"a huge number as text": {"return str(10 ** 10_000)", "policy.py:6: ValueError"},
		"a huge range":          {"list(range(10 ** 10))", ""},
		"a huge map":            {"m = {}\nfor i in itertools.count(): m[i] = 'x' * 1000", tooMuch},
		"a huge set":            {"set(itertools.count())", hostilescripts.Memory},
		"a huge deque":          {"collections.deque(itertools.count())", hostilescripts.Memory},
		"a huge product":        {"list(itertools.product(range(1000), repeat=1000))", hostilescripts.Memory},
		"a huge array of bytes": {"bytearray(1 << 40)", at},
		"laughs":                {"a = ['x']\nfor _ in range(50): a = [a, a]\nreturn {'a': a}", ""},

		// Builtins and dunder methods
		"breaks builtins":      {"b = sys.modules['builtins'].__dict__\nfor k in list(b): b[k] = None\nreturn 'x'", ""},
		"breaks its globals":   {"globals().clear()\nreturn 'x'", "x"},
		"breaks modules":       {"sys.modules.clear()\nreturn 'x'", "x"},
		"breaks the import":    {"sys.meta_path.clear(); sys.path_hooks.clear(); sys.modules.clear()\nimport json", ""},
		"breaks isinstance":    {"sys.modules['builtins'].isinstance = lambda *a: 1 / 0\nreturn 'x'", ""},
		"breaks random":        {"random.seed = None\nreturn 'x'", "x"},
		"breaks json":          {"json.dumps = json.loads = None\nreturn 'x'", "x"},
		"breaks the API":       {"m = sys.modules['agenthost._engine']\nfor k in list(m.__dict__): m.__dict__[k] = None\nreturn 'x'", ""},
		"breaks messages":      {"Message.__init__ = Message.__getattr__ = lambda *a: 1 / 0\nreturn 'x'", ""},
		"breaks native":        {"m = sys.modules['_agenthost']\nfor k in list(m.__dict__): m.__dict__[k] = None\nreturn 'x'", ""},
		"breaks frames":        {"sys.modules['agenthost._request'].frames.clear()\nreturn 'x'", "x"},
		"patches built-ins":    {"str.join = None", "policy.py:6: TypeError"},
		"patches by a dict":    {"str.__dict__['join'] = None", "policy.py:6: TypeError"},
		"a hostile dict":       {"class D(dict):\n  def items(self): raise KeyError('i')\n  def __iter__(self): raise KeyError('i')\nreturn D(n=1)", ""},
		"a hostile string":     {"class S(str):\n  def __str__(self): raise KeyError('s')\n  def __eq__(self, o): raise KeyError('e')\nreturn S('x')", ""},
		"a hostile integer":    {"class I(int):\n  def __int__(self): raise KeyError('i')\n  def __index__(self): raise KeyError('i')\nrequest.next(settings={'n': I(1)})", ""},
		"a hostile class":      {"class M(type):\n  __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E('x')", "policy.py:9: E: x"},
		"a hostile isinstance": {"class A:\n  __class__ = property(lambda s: 1 / 0)\nreturn A()", ""},
		"a hostile mro":        {"class M(type):\n  def mro(c): return [c]\nclass A(metaclass=M): pass", ""},

		// The engine's own guards
		"imports the engine":       {"import _agenthost\n_agenthost.reset()", "policy.py:7: AttributeError"},
		"reloads the engine":       {"del sys.modules['_agenthost']\nimport _agenthost\n_agenthost.reset()", "policy.py:8: AttributeError"},
		"evaluates":                {"eval('1')", "policy.py:6: RuntimeError: eval() is not available in a plugin"},
		"evaluates by a module":    {"sys.modules['builtins'].eval('1')", "policy.py:6: RuntimeError: eval() is not available in a plugin"},
		"executes by a module":     {"sys.modules['builtins'].exec('x = 1')", "policy.py:6: RuntimeError: exec() is not available in a plugin"},
		"compiles by a module":     {"sys.modules['builtins'].compile('1', 'json', 'eval')", "policy.py:6: RuntimeError: compile() is not available in a plugin"},
		"evaluates by globals":     {"json.dumps.__globals__['__builtins__']['eval']('1')", "policy.py:6: "},
		"monitors":                 {"sys.monitoring.set_events(5, 0)", "policy.py:6: AttributeError"},
		"monitors after all":       {"del sys.modules['sys']\nimport sys as s\ns.monitoring.set_events(5, 0)", "policy.py:"},
		"imports the monitoring":   {"__import__('sys.monitoring')", at},
		"traces":                   {"def t(*a):\n  while True: pass\nsys.settrace(t)\ndef f(): pass\nf()", "policy.py:8: AttributeError"},
		"profiles":                 {"sys.setprofile(lambda *a: None)", "policy.py:6: AttributeError"},
		"traces a frame":           {"def t(*a):\n  while True: pass\nsys._getframe().f_trace = t\nwhile True: pass", tooLong},
		"audits":                   {"sys.addaudithook(print)", "policy.py:6: AttributeError"},
		"hooks what is unraisable": {"def t(*a):\n  while True: pass\nsys.unraisablehook = t\nclass A:\n  def __del__(self): 1 / 0\nA()\nwhile True: pass", tooLong},
		"walks the subclasses":     {"return str(len([c.__name__ for c in object.__subclasses__()]) > 100)", "True"},
		"looks for loaders":        {"for c in object.__subclasses__():\n  if c.__name__ == 'BuiltinImporter': c.load_module('posix')\nreturn 'x'", ""},
		"looks for files":          {"sys.modules['_io'].open('/etc/passwd')", at},
		"walks the frames":         {"f = sys._getframe()\nwhile f.f_back: f = f.f_back\nreturn str(sorted(f.f_globals)[0] != '')", "True"},
		"makes code":               {"c = hook.__code__.replace(co_code=bytes([255, 255] * 8))\ntype(hook)(c, {})()", ""},
		"makes code that loops":    {"c = (lambda: 1).__code__\ntype(hook)(c.replace(co_filename='json'), {})()\nwhile True: pass", tooLong},
		"starts a thread":          {"sys.modules.get('_thread', __import__('_thread')).start_new_thread(print, ())", ""},
		"exits":                    {"sys.exit(3)", "policy.py:6: SystemExit: 3"},
		"sets the clock":           {"sys.modules['_agenthost'].set_clock(0)", "policy.py:6: AttributeError"},

		// Odd values that are raised
		"raises a class":             {"raise ValueError", "policy.py:6: ValueError"},
		"raises no exception":        {"raise 1", "policy.py:6: TypeError"},
		"raises what raises":         {"class E(Exception):\n  def __str__(self): raise E()\nraise E()", "policy.py:8: E"},
		"raises what loops":          {"class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E()", "policy.py:9: E"},
		"raises what recurses":       {"class E(Exception):\n  def __str__(self): return str(self)\nraise E()", "policy.py:8: E"},
		"raises what is not text":    {"class E(Exception):\n  def __str__(self): return 1\nraise E()", "policy.py:8: E"},
		"raises what is huge":        {"raise ValueError('x' * (1 << 22))", "policy.py:6: ValueError: xxx"},
		"raises half a pair":         {"raise ValueError('\\ud800' * 3000)", "policy.py:6: ValueError: "},
		"raises a group":             {"raise BaseExceptionGroup('g', [ValueError(1), KeyError(2)])", "policy.py:6: ExceptionGroup: g"},
		"raises a nested group":      {"e = ValueError(1)\nfor _ in range(10_000): e = ExceptionGroup('g', [e])\nraise e", "policy.py:8: ExceptionGroup: g"},
		"raises a cyclic cause":      {"e = ValueError('c')\ne.__cause__ = e.__context__ = e\nraise e", "policy.py:8: ValueError: c"},
		"raises its own traceback":   {"class E(Exception):\n  __traceback__ = property(lambda s: 1 / 0)\nraise E('x')", "policy.py:8: E: x"},
		"raises a syntax error":      {"raise SyntaxError('odd')", "policy.py:6: SyntaxError: odd"},
		"raises an odd file":         {"e = SyntaxError('odd')\ne.filename = []\nraise e", "policy.py:8: SyntaxError: odd"},
		"raises an odd line":         {"e = SyntaxError('odd')\ne.filename, e.lineno, e.msg = 'policy.py', {}, []\nraise e", "policy.py:8: SyntaxError"},
		"raises an odd syntax error": {"class E(SyntaxError):\n  filename = property(lambda s: 1 / 0)\nraise E('odd')", "policy.py:8: E: odd"},
		"raises an odd hook error":   {"raise HookError([], {'a': 1})", "{'a': 1}"},
		"raises an odder hook error": {"class T:\n  def __str__(self): raise KeyError('t')\nraise HookError(T(), T())", "KeyError: 't'"},
		"raises with odd data":       {"raise HookError('t', 'm', data={1, 2})", "error.data is of the type set"},
		"raises an interrupt":        {"raise sys.modules['agenthost._error'].Leave('x')", "policy.py:6: Leave: x"},
		"raises a stop":              {"raise StopIteration(1)", "policy.py:6: StopIteration: 1"},
		"raises a generator's exit":  {"raise GeneratorExit", "policy.py:6: GeneratorExit"},
		"raises notes":               {"e = ValueError('n')\nfor _ in range(1000): e.add_note('x' * 1000)\nraise e", "policy.py:8: ValueError: n"},
		"raises an os error":         {"raise OSError(1, [], {})", "policy.py:6: OSError: [Errno 1]"},

		// Odd values that are returned
		"returns a cycle":          {"a = {}\na['a'] = a\nreturn {'a': a}", "nests more than 64"},
		"returns a cyclic list":    {"a = []\na.append(a)\nreturn AIMessage(a)", "nests more than 64"},
		"returns a number":         {"return 1", "a hook returns None or a dict"},
		"returns NaN":              {"return {'n': math.nan}", "state.n is not a finite number"},
		"returns a function":       {"return {'f': hook}", "state.f is of the type function"},
		"returns a class":          {"return dict", ""},
		"returns a generator":      {"return {'g': (i for i in ())}", "state.g is of the type generator"},
		"returns a coroutine":      {"async def f(): return 'x'\nreturn f()", ""},
		"returns a deep coroutine": {"async def f(n): return await f(n + 1)\nreturn f(0)", tooDeep},
		"returns what waits":       {"class W:\n  def __await__(self): yield\nasync def f(): await W()\nreturn f()", "waits for something that nobody sends"},
		"returns what never ends":  {"class W:\n  def __await__(self):\n    while True: yield\nasync def f():\n  while True:\n    try: await W()\n    except BaseException: pass\nreturn f()", ""},
		"returns a key":            {"return {'a': {1: 2}}", "state.a has a key of the type int"},
		"returns a large integer":  {"return {'n': 2 ** 64}", "integer of more than 64 bits"},
		"returns much":             {"return {'a': [0] * 200_000}", "more than 131,072 values"},
		"returns a long text":      {"return 'x' * (2 << 20)", "larger than 1 MiB"},
		"returns odd messages":     {"return AIMessage(None, tool_calls=1, role=[])", hostilescripts.Protocol},
		"returns odd tools":        {"return request.next(tools=[[], {}, 1])", hostilescripts.Protocol},
		"asks oddly":               {"interrupt(hook)", "is of the type function"},
		"asks with an odd key":     {"interrupt('?', key=[])", at},
		"operates oddly":           {"request.runtime.emit(1, 1)", ""},
		"emits a cycle":            {"a = []\na.append(a)\nrequest.runtime.emit('x', a)", "nests more than 64"},
		"calls next with a cycle":  {"a = {}\na['a'] = a\nrequest.next(settings=a)", "nests more than 64"},
		"calls next late":          {"try: interrupt('?')\nexcept BaseException: pass\nrequest.next()", ""},
		"logs much":                {"for i in range(100): log.info('x' * (1 << 16))\nreturn 'x'", ""},
		"prints oddly":             {"class A:\n  def __str__(self): raise KeyError('s')\nprint(A())", at},
	}, func(t *testing.T, code string, isolation plugin.Isolation) *host.Agent {
		t.Helper()
		agent, _, err := setup(t, guarded(code), func(w *plugin.Wasm) { w.Isolation = isolation })
		require.NoError(t, err)
		return agent
	})
}

// Attacks while the script loads are refusals that name the line.
func TestHostileScriptsDoNotLoad(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"loops":             {"\ndef f():\n  while True: pass\nf()", "policy.py:3: TimeoutError: the hook runs too long (called from policy.py:4)"},
		"recurses":          {"\ndef f(): f()\nf()", "policy.py:2: RecursionError"},
		"hoards":            {"\na = []\nwhile True: a.append('x' * (1000 + len(a)))", "policy.py:3: MemoryError"},
		"nests brackets":    {strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000), "policy"},
		"nests lists":       {strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000), "policy"},
		"nests signs":       {"a = " + strings.Repeat("-", 100_000) + "1", "policy"},
		"nests blocks":      {nested(200), "the script has no hook and no tool"},
		"adds much":         {"a = " + strings.Repeat("1 + ", 50_000) + "1", "policy"},
		"a long line":       {"a = '" + strings.Repeat("x", 1<<20) + "'", "the script has no hook and no tool"},
		"raises an exit":    {"raise SystemExit(3)", "policy.py:1: SystemExit: 3"},
		"raises what loops": {"class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E()", "policy.py:4: E"},
		"odd hooks":         {"from agenthost import *\nbefore_model(1)", "policy.py:2: TypeError: @before_model decorates a function"},
		"a cyclic schema":   {"from agenthost import *\na = {}\na['a'] = a\nplugin(config_schema=a)\n@before_model\ndef f(s): pass", "nests more than 64"},
		"odd names":         {"from agenthost import *\nplugin(name=1, version=[])\n@before_model\ndef f(s): pass", "policy"},
		"null bytes":        {"a = 1\x00", "policy"},
		"a fold":            {"a = 10 ** 10 ** 8", ""},
		"a folded string":   {"a = 'x' * 10 ** 9", "MemoryError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := setup(t, test.source)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// nested is a function with blocks inside blocks.
func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "if True:\n")
	}
	return b.String() + strings.Repeat(" ", depth) + "pass\n"
}

// A hook that was stopped leaves nothing behind that the next call sees.
func TestALateCallHasAllItsIterations(t *testing.T) {
	t.Parallel()
	agent, _, err := setup(t, guarded("for _ in range(200_000): pass\nreturn 'counted'"))
	require.NoError(t, err)
	for range 5 {
		result, err := agent.Run(t.Context(), host.Input{Messages: hostilescripts.Attacked()})
		require.NoError(t, err)
		require.Equal(t, "counted", text(t, result))
	}
}
