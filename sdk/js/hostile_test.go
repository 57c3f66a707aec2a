package js_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/test/hostilescripts"
	"github.com/agenthost/agenthost/test/scripts"
)

// guarded is a script whose wrapModelCall does what an attack says if the run begins with "attack", and answers "fine" otherwise.
func guarded(attack string) string {
	return "import { plugin, HookError } from \"agenthost\"\nexport default plugin({ name: \"policy\", version: \"1.0.0\",\n" +
		"fields: { a: { lifetime: \"run\" } },\nwrapModelCall: { messages: \"all\", hook(call) {\nif (call.request.messages.items[0].content !== \"attack\") return \"fine\";\n" +
		attack + "\n} } })"
}

// TestHostileScripts attacks the engine from inside. An attack is an error of the language, which names its line, or a plain answer;
// only where built-in functions take all the time, the fuel ends it. The next run of the same plugin is as good as the first.
func TestHostileScripts(t *testing.T) {
	t.Parallel()
	const at = "policy.js:6:"
	hostilescripts.Run(t, map[string]hostilescripts.Attack{
		// Loops and recursion
		"loops":                      {`for (;;) {}`, "policy.js:…InternalError: interrupted"},
		"loops in a function":        {`const f = () => { for (;;) {} }; f()`, at},
		"loops and catches":          {`for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }`, "policy.js:…InternalError: interrupted"},
		"a generator without an end": {`for (const x of (function* () { for (;;) yield 1 })()) {}`, at + "…interrupted"},
		"recurses":                   {`const f = () => f() + 1; f()`, at + "…RangeError: Maximum call stack size exceeded"},
		"recurses by a getter":       {`const o = { get a() { return this.a } }; o.a`, at},
		"recurses by toString":       {`const o = { toString() { return "" + this } }; return "" + o`, at},
		"recurses by a proxy":        {`const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x`, at + "…RangeError"},
		"recurses in JSON":           {`let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)`, hostilescripts.Fuel},
		"recurses and catches":       {`const f = () => { try { f() } catch { f() } }; f()`, hostilescripts.Fuel},
		"a regular expression":       {`return String(/^(a+)+$/.test("a".repeat(40) + "b"))`, at},
		"jobs without an end":        {`return (async () => { for (;;) await null })()`, "runs too long"},
		"jobs that make jobs":        {`const f = () => Promise.resolve().then(f).then(f); return f()`, "runs too long"},
		"never settles":              {`return new Promise(() => {})`, "waits for a promise that nothing can settle"},
		"a thenable without an end":  {`return Promise.resolve({ then(f) { f(this) } })`, "runs too long"},
		"interrupts in a catch":      {`try { call.interrupt("?") } catch (e) { for (;;) {} }`, at + "…interrupted"},
		"sorts by a loop":            {`[1, 2].sort(() => { for (;;) {} })`, at + "…interrupted"},
		"replaces by a loop":         {`"a".replace("a", () => { for (;;) {} })`, at + "…interrupted"},

		// Memory
		"hoards":              {`const a = []; for (;;) a.push(new Uint8Array(1 << 20))`, at + "…out of memory"},
		"hoards strings":      {`let s = "x"; for (;;) s += s`, at},
		"hoards by repeat":    {`return "x".repeat(2 ** 30)`, at},
		"hoards by padStart":  {`return "x".padStart(2 ** 29)`, at},
		"a huge array":        {`return new Array(2 ** 32 - 1).fill(0).length + ""`, at},
		"a huge sparse array": {`const a = []; a[2 ** 31] = 1; return { messages: [{ role: "ai", content: a }] }`, "too many values"},
		"a huge buffer":       {`new ArrayBuffer(2 ** 40)`, "RangeError"},
		"a huge map":          {`const m = new Map(); for (let i = 0; ; i++) m.set(i, "x".repeat(1000))`, at},
		"a huge bigint":       {`let n = 2n; for (;;) n = n * n`, at},
		"joins much":          {`return new Array(1e6).fill("x".repeat(1e5)).join("")`, at},

		// Prototypes
		"breaks arrays": {`for (const k of Object.getOwnPropertyNames(Array.prototype)) try { Array.prototype[k] = () => { throw 1 } } catch {}
		return "x"`, "x"},
		"breaks objects":              {`Object.prototype.toString = null; Object.prototype.messages = 1; Object.keys = Object.entries = () => { throw new Error("k") }; return { state: {} }`, ""},
		"breaks promises":             {`Promise.prototype.then = () => { throw new Error("then") }; return (async () => "x")()`, ""},
		"breaks then":                 {`Promise.prototype.then = () => 7; return (async () => "x")()`, "x"},
		"breaks species for promises": {`Object.defineProperty(Promise, Symbol.species, { value: function (f) { f(() => 1, () => 1); return { odd: 1 } } }); return Promise.resolve("x")`, "x"},
		"breaks a constructor":        {`const p = Promise.resolve("x"); p.constructor = function (f) { f(() => 1, () => 1); return { odd: 1 } }; return p`, "x"},
		"throws after a job":          {`Promise.resolve().then(() => 1); throw new Error("e")`, at + "…Error: e"},
		"throws an accessor":          {`throw Object.defineProperty(new Error("e"), "name", { get() { throw new Error("n") } })`, "the script threw a value that throws when it is read"},
		"breaks JSON":                 {`JSON.stringify = () => { throw new Error("j") }; call.log.info({ a: 1 }); return "x"`, "x"},
		"breaks setters":              {`Object.defineProperty(Object.prototype, "role", { set() { throw new Error("set") }, get() { throw new Error("get") } }); return "x"`, ""},
		"breaks errors":               {`Error.prototype.toString = () => { throw 1 }; Error.prepareStackTrace = () => { throw 2 }; throw new Error("e")`, ""},
		"breaks regexps":              {`RegExp.prototype.exec = () => { for (;;) {} }; throw new Error("e")`, ""},
		"breaks species":              {`Object.defineProperty(Array, Symbol.species, { value: null }); String.prototype.split = Array.prototype.map = null; return "x"`, "x"},

		// Odd values that are thrown
		"throws undefined":      {`throw undefined`, "the script threw undefined"},
		"throws null":           {`throw null`, "the script threw null"},
		"throws a symbol":       {`throw Symbol("s")`, "the script threw Symbol(s)"},
		"throws a function":     {`throw () => 1`, "the script threw"},
		"throws a bigint":       {`throw 1n`, "the script threw"},
		"throws a proxy":        {`throw new Proxy({}, { get() { throw new Error("p") }, getPrototypeOf() { throw new Error("q") } })`, "error"},
		"throws a revoked one":  {`const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy`, "error"},
		"throws a getter":       {`throw { get stack() { throw new Error("s") }, get message() { throw new Error("m") } }`, "the script threw a value that throws when it is read"},
		"throws a cyclic error": {`const e = new Error("c"); e.cause = e; e.message = e; throw e`, "the script threw a value that throws when it is read"},
		"throws a huge error":   {`throw new Error("x".repeat(1 << 19))`, "xxx"},
		"throws odd types":      {`throw new HookError({ toString() { throw 1 } }, Symbol("m"), { data: () => 1 })`, "error"},
		"rejects with itself":   {`const p = new Promise((_, no) => queueMicrotask?.(() => no(p))); return p`, ""},
		"throws in a job":       {`return Promise.reject(Object.create(null))`, "the script threw"},

		// Odd values that are returned
		"returns a cycle":      {`const a = { role: "ai" }; a.content = [a]; return a`, "nests more than 64"},
		"returns a number":     {`return 1`, "must be an object"},
		"returns NaN":          {`return { state: { n: NaN } }`, "is not a finite number"},
		"returns a function":   {`return { state: { f() {} } }`, "is a function"},
		"returns a symbol":     {`return { state: { s: Symbol.iterator } }`, "is a symbol"},
		"returns a bigint":     {`return { state: { n: 2n ** 64n } }`, "more than 64 bits"},
		"returns a proxy":      {`return new Proxy({}, { ownKeys() { throw new Error("keys") } })`, "keys"},
		"returns much":         {`return { state: { a: new Array(200000).fill(0) } }`, "too many values"},
		"returns many keys":    {`return { state: Object.fromEntries(new Array(150000).fill(0).map((_, i) => ["k" + i, 1])) }`, "larger than 1 MiB"},
		"returns what grows":   {`return { state: { get a() { for (let i = 0; i < 1000; i++) this["b" + i] = i; return 1 } } }`, ""},
		"returns what shrinks": {`const a = [1, 2, 3]; return { state: { a: [{ get x() { a.length = 0; return a } }, a] } }`, ""},
		"returns a thenable":   {`return { then: (f) => f("x") }`, "unknown key"},
		"leaks a half pair":    {`return { state: { ["\udc00"]: 1 } }`, "half of a surrogate pair"},
		"asks oddly":           {`call.interrupt(() => 1)`, "is a function"},
		"operates oddly":       {`call.emit(Symbol.iterator, 1)`, "symbol"},
		"emits a cycle":        {`const a = []; a.push(a); call.emit("x", a)`, "nests more than 64"},
		"next with a cycle":    {`const a = {}; a.a = a; call.next({ settings: a })`, "nests more than 64"},
		"calls next late":      {`try { call.interrupt("?") } catch {} call.next()`, ""},
		"logs much":            {`for (let i = 0; i < 1000; i++) call.log.info("x".repeat(1 << 16)); return "x"`, ""},
		"imports at run time":  {`return import("agenthost").then(() => "x")`, ""},
		"looks for the host":   {`return Object.keys(globalThis).sort().join() + typeof process + typeof require`, ""},
	}, func(t *testing.T, code string, isolation plugin.Isolation) *host.Agent {
		t.Helper()
		agent, _, err := bench.Agent(t, guarded(code), func(w *plugin.Wasm) { w.Isolation = isolation })
		require.NoError(t, err)
		return agent
	})
}

// Attacks while the script loads are refusals that name the line.
func TestHostileScriptsDoNotLoad(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"loops":           {"\nconst f = () => { for (;;) {} }\nf()", "policy.js:2:"},
		"recurses":        {"\nconst f = () => f() + 1\nf()", "policy.js:2:"},
		"hoards":          {"\nconst a = []\nfor (;;) a.push(\"x\".repeat(1000) + a.length)", "policy.js:3:"},
		"awaits for ever": {"await new Promise(() => {})", "waits for a promise that nothing can settle"},
		"nests":           {strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "RangeError: Maximum call stack size exceeded"},
		"throws a symbol": {"throw Symbol(\"s\")", "policy"},
		"a proxy plugin":  {"export default new Proxy({}, { has() { throw new Error(\"h\") } })", "export default plugin("},
		"odd hooks":       {`import { plugin } from "agenthost"` + "\nexport default plugin({ name: 1, version: {}, beforeModel: { hook: 1 } })", "beforeModel must be a function"},
		"cyclic schema":   {`import { plugin } from "agenthost"` + "\nconst a = {}; a.a = a\nexport default plugin({ name: \"x\", version: \"1\", configSchema: a })", "nests more than 64"},
		"no text":         {"\xff\xfe", "policy.js:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := bench.Agent(t, test.source)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Everything that a script can ask for the time or for chance is the same when a call is repeated.
func TestTimeAndChanceFollowTheInput(t *testing.T) {
	t.Parallel()
	source := script(`wrapModelCall(call) {
		const slow = []; for (let i = 0; i < 1000; i++) slow.push(i)
		return [Date.now(), new Date().getTime(), Date(), performance?.now?.() - performance?.now?.(), Math.random(), [3, 1, 2].sort(() => Math.random() - 0.5),
			new Date(0).getTimezoneOffset(), call.now].join("|")
	}`)
	var first string
	for i := range 3 {
		result, _, err := bench.Result(t, source, func(w *plugin.Wasm) { w.Isolation = []plugin.Isolation{plugin.IsolatePool, plugin.IsolateCall}[i%2] })
		require.NoError(t, err)
		if said := scripts.Text(t, result); i > 0 {
			require.Equal(t, first, said)
		} else {
			first = said
		}
	}
	require.True(t, strings.HasPrefix(first, "1700000000000|1700000000000|"), first)
	require.Contains(t, first, fmt.Sprint("|0|", int64(1_700_000_000_000)))
}
