package main

import "math"

const ours = "agenthost"

// loop is a round of ours in the suite of that name, and loopSlower how many times as long a peer's takes.
func loop(name string) func(*Results) (float64, error) {
	return value("loop", ours, name, nanoseconds)
}

func loopSlower(row, name string) func(*Results) (float64, error) {
	return slower("loop", name, row, ours)
}

// hookSlower is how many times as long a hook takes elsewhere as in a language here.
func hookSlower(row, language string) func(*Results) (float64, error) {
	return slower("hooks", "hook", row, "agenthost, "+language)
}

// kept is a number of a thread in SQLite with the durability round.
func kept(name, key string) func(*Results) (float64, error) {
	return value("checkpoint", "agenthost, round", name, extra(key))
}

// wrapBeside returns how many times as long as a hand-written guest's a layer of another guest takes.
func wrapBeside(language string) func(*Results) (float64, error) {
	return quotient(guest("wrap layer: "+language), guest("wrap layer that only calls next: hand-written guest"))
}

func started(row string) func(*Results) (float64, error) {
	return value("start", row, "start", nanoseconds)
}

// frame is the time of one of 60 frames a second, in nanoseconds, with what the browser's clock is inexact. A late frame takes twice as long.
const frame = 17.5e6

// slowestView is the frame of the view of the studio that scrolls most slowly.
func slowestView(r *Results) (slowest float64, err error) {
	for _, row := range []string{chatFrame, timelineFrame, historyFrame} {
		median, err := r.median("studio", row, "value", nanoseconds)
		if err != nil {
			return 0, err
		}
		slowest = max(slowest, median)
	}
	return slowest, nil
}

// The reasons why targets are missed. COSTS.md says more about each.
const (
	whyScript = "in Python, a third of the guest's instructions make and free the interpreter's objects, a quarter are its steps and calls, and a third decode the documents and " +
		"look up names; the same hook compiled by TinyGo has none of these but the documents. The meter takes a tenth of the time in Python, and a sixth in JavaScript."
	whyTinyGo = "three quarters of the time are the guest's own instructions, and Extism's SDK runs the same; what the host adds, about a microsecond, " +
		"is the same for Rust."
	whyCollector = "TinyGo's collector takes nearly half of the instructions (3,006 where gc: leaking has 1,600), in part by finding and clearing memory, in part because " +
		"each function with pointers notes them for it; of the rest, the documents' decoding and encoding take most (profiles/hook-tinygo.txt)."
	whyLeaking = "the hook has 1.25 times Rust's instructions, but without a collector each call writes to memory that no call before it has used: replacing instances " +
		"when they have grown to 1 or 2 MiB saves 12 %, and makes standard Go's hook up to nine times as slow (COSTS.md)."
	whyWrap = "what the hand-written guest has is the host's and the layer's; the rest is the SDK's in the guest: the dispatch of the export and the status of next. " +
		"Nothing is copied or allocated; half of Rust's instructions drop what is empty (profiles/wrap-rust.txt)."
	whyFloor = "it was 193 ns in a quieter hour of the same kind of machine; ± below says how much others disturbed it."
	whyGo    = "it was 8.4 to 13.5 in other runs: Go's allocator and collector run inside of the guest."
	whySlow  = "all that is Go takes longer on this machine than where the target was set: there, Eino's react agent had 6.7 µs for the plain round; " +
		"here it has what the table of the suite loop says."
	whyMemory = "a fifth of the round saves it, in two checkpoints, and nearly half of that packs their documents; a twentieth is the Runtimes of five hooks, which one " +
		"allocation makes (profiles/round-five-memory.txt)."
	whyPeer = "this round takes Python and JavaScript less time on this machine than where the target was set (4,702 and 16,515 µs there), and Go more: Eino's plain " +
		"round had 6.7 µs there."
	whyStatements = "a run has the statements that the table of the suite server says, and commits each step; the same server with all in memory takes less than a tenth of the time."
	whyIdle       = "31 KB are the stacks of three goroutines and 8 KB the buffers of net/http; with SQLite, the heap keeps what the store's queries took when the streams began: " +
		"with all in memory, the same streams take what the table of the suite idle says."
	whyToken = "the way from the model over HTTP to the server and from there to the client takes two requests where a direct call takes one; how busy both cores are decides."
	whyPeak  = "35 KB of it are live, half of that the stack; the rest is what Go's collector lets the heap grow by before it collects, and the instances of the plugins."
	whyMeter = "where the compiler puts the guest's code decides: small changes of the guest or of the meter make it 1.1 or 1.5, in Rust 1.1 or 1.2."
)

// targets lists all targets of the design.
var targets = []Target{
	{What: "host side of a hook's call, no view, no result", Limit: 200, Format: duration, Of: guest("hook, no view and no result: hand-written guest"), Why: whyFloor},
	{What: "pass-through wrap, per layer: hand-written guest", Limit: 1.5e3, Format: duration, Of: guest("wrap layer that only calls next: hand-written guest")},
	{What: "pass-through wrap, per layer: Rust", Limit: 1.5e3, Format: duration, Of: guest("wrap layer: Rust"), Why: whyWrap},
	{What: "pass-through wrap, per layer: TinyGo", Limit: 1.5e3, Format: duration, Of: guest("wrap layer: TinyGo"), Why: whyWrap},
	{What: "pass-through wrap, per layer: standard Go", Limit: 1.5e3, Format: duration, Of: guest("wrap layer: standard Go"), Why: whyWrap},
	{What: "the same, Rust : hand-written guest", Limit: 1.5, Format: times, Of: wrapBeside("Rust"), Why: whyWrap},
	{What: "the same, TinyGo, gc: leaking : hand-written guest", Limit: 1.5, Format: times, Of: wrapBeside("TinyGo, gc: leaking"), Why: whyWrap},
	{What: "the same, TinyGo : hand-written guest", Limit: 1.5, Format: times, Of: wrapBeside("TinyGo"), Why: whyCollector},
	{What: "8 parallel tool calls through one wrap: TinyGo", Limit: 60e3, Format: duration, Of: guest("8 parallel tool calls through a wrap: TinyGo"), Why: whySlow},
	{What: "1 KB hook : its documents natively, Rust", Limit: 3.5, Format: times, Of: guest("1 KB in, update out : both documents natively: Rust")},
	{What: "1 KB hook : its documents natively, TinyGo", Limit: 10, Format: times, Of: guest("1 KB in, update out : both documents natively: TinyGo")},
	{What: "1 KB hook : its documents natively, standard Go", Limit: 10, Format: times, Of: guest("1 KB in, update out : both documents natively: standard Go"), Why: whyGo},
	{What: "the same hook in TinyGo, gc: leaking : in Rust", Limit: 1.4, Format: times, Of: slower("hooks", "hook", inLeaking, "agenthost, Rust"), Why: whyLeaking},
	{What: "the same hook in TinyGo : in Rust", Limit: 1.4, Format: times, Of: slower("hooks", "hook", "agenthost, TinyGo", "agenthost, Rust"), Why: whyCollector},
	{What: "hook at 10,000 messages : at 10, view last", Limit: 1.2, Format: times, Of: guest("hook at 10,000 messages : at 10, view last")},
	{What: "hook at 10,000 messages : at 10, view new", Limit: 1.2, Format: times, Of: guest("hook at 10,000 messages : at 10, view new")},
	{What: "the same hook by Extism's SDK : ours in Rust", Limit: 10, Least: true, Format: times, Of: hookSlower("Extism's SDK (TinyGo)", "Rust")},
	{What: "by go-plugin, gRPC : ours in Rust", Limit: 10, Least: true, Format: times, Of: hookSlower("hashicorp/go-plugin, gRPC", "Rust")},
	{What: "by HTTP on loopback : ours in Rust", Limit: 8, Least: true, Format: times, Of: hookSlower("HTTP on loopback", "Rust")},
	{What: "by a shell command : ours in Rust", Limit: 200, Least: true, Format: times, Of: hookSlower("a shell command", "Rust")},
	{What: "the same hook by Extism's SDK : ours in TinyGo", Limit: 10, Least: true, Format: times, Of: hookSlower("Extism's SDK (TinyGo)", "TinyGo"), Why: whyTinyGo},
	{What: "by go-plugin, gRPC : ours in TinyGo", Limit: 10, Least: true, Format: times, Of: hookSlower("hashicorp/go-plugin, gRPC", "TinyGo"), Why: whyTinyGo},
	{What: "by HTTP on loopback : ours in TinyGo", Limit: 8, Least: true, Format: times, Of: hookSlower("HTTP on loopback", "TinyGo"), Why: whyTinyGo},
	{What: "by a shell command : ours in TinyGo", Limit: 200, Least: true, Format: times, Of: hookSlower("a shell command", "TinyGo"), Why: whyTinyGo},
	{What: "the same hook in TypeScript : in TinyGo", Limit: 4, Format: times, Of: slower("hooks", "hook", "agenthost, TypeScript", "agenthost, TinyGo"), Why: whyScript},
	{What: "the same hook in Python : in TinyGo", Limit: 4, Format: times, Of: slower("hooks", "hook", "agenthost, Python", "agenthost, TinyGo"), Why: whyScript},
	{What: "by LangChain JS : ours in TypeScript", Limit: 20, Least: true, Format: times, Of: hookSlower("LangChain JS", "TypeScript")},
	{What: "by LangChain Python : ours in Python", Limit: 5, Least: true, Format: times, Of: hookSlower("LangChain Python", "Python"), Why: whyScript},
	{What: "one more instance: JavaScript", Limit: 1e6, Format: duration, Of: guest("one more instance: JavaScript")},
	{What: "one more instance: Python", Limit: 1e6, Format: duration, Of: guest("one more instance: Python")},
	{What: "round, plain", Limit: 5e3, Format: duration, Of: loop("plain"), Why: whySlow},
	{What: "round, plain: LangChain Python : agenthost", Limit: 250, Least: true, Format: times, Of: loopSlower("LangChain Python", "plain")},
	{What: "round, plain: LangChain JS : agenthost", Limit: 250, Least: true, Format: times, Of: loopSlower("LangChain JS", "plain")},
	{What: "round, plain: Eino's react agent : agenthost", Limit: 1.3, Least: true, Format: times, Of: loopSlower("Eino, react", "plain")},
	{What: "round, five middlewares and memory", Limit: 8e3, Format: duration, Of: loop("five-memory"), Why: whySlow},
	{What: "the same : plain", Limit: 1.6, Format: times, Of: quotient(loop("five-memory"), loop("plain")), Why: whyMemory},
	{What: "round, five and memory: LangChain Python : agenthost", Limit: 500, Least: true, Format: times, Of: loopSlower("LangChain Python", "five-memory"), Why: whyPeer},
	{What: "round, five and memory: LangChain JS : agenthost", Limit: 2000, Least: true, Format: times, Of: loopSlower("LangChain JS", "five-memory"), Why: whyPeer},
	{What: "the same from 2,000 messages : from none", Limit: 1.2, Format: times, Of: quotient(loop("five-memory-2000"), loop("five-memory"))},
	{What: "allocations a round, plain", Limit: 30, Format: digits, Of: value("loop", ours, "plain", allocations)},
	{What: "allocations a hook that does nothing", Limit: 1, Format: digits, Of: func(r *Results) (float64, error) {
		five, err := r.median("loop", ours, "five", allocations)
		if err != nil {
			return 0, err
		}
		plain, err := r.median("loop", ours, "plain", allocations)
		return math.Round((five-plain)/5*100) / 100, err // what the runtime allocates of its own is less
	}},
	{What: "documents of a round at 400 rounds : at 10, SQLite, round", Limit: 1.1, Format: times, Of: quotient(kept("0/400", storedLast), kept("0/10", storedLast))},
	{What: "database of 400 rounds : its text, SQLite, round", Limit: 2.5, Format: times, Of: kept("0/400", perText)},
	{What: "the same with 5 middlewares that do nothing", Limit: 2.5, Format: times, Of: kept("5/400", perText)},
	{What: "rounds a second, SQLite: 50 runs at once : one", Limit: 5, Least: true, Format: times, Of: quotient(
		value("together", oursInSQLite, "50", extra(throughput)), value("together", oursInSQLite, "1", extra(throughput)))},
	{What: "a crowd with 3 plugins: p99 of a step at half of its rounds a second", Limit: 5e6, Format: duration, Of: value("crowd", crowdOfPlugins, "crowd", extra(halfP99))},
	{What: "a crowd with 3 plugins: live memory of a run", Limit: 50e3, Format: size, Of: value("crowd", crowdOfPlugins, "crowd", extra(livePerRun))},
	{What: "a crowd with 3 plugins: memory of a run at the peak", Limit: 50e3, Format: size, Of: value("crowd", crowdOfPlugins, "crowd", extra(bytesPerRun)), Why: whyPeak},
	{What: "metered : not metered, standard Go", Limit: 1.15, Format: times, Of: guest("metered : not metered, standard Go decodes 1,000 messages"), Why: whyMeter},
	{What: "metered : not metered, TinyGo", Limit: 1.15, Format: times, Of: guest("metered : not metered, TinyGo redacts 1 MB"), Why: whyMeter},
	{What: "metered : not metered, Rust", Limit: 1.15, Format: times, Of: guest("metered : not metered, Rust scans 1 MB"), Why: whyMeter},
	{What: "metered : not metered, counting loop", Limit: 1.5, Format: times, Of: guest("metered : not metered, counting loop")},
	{What: "metered : not metered, byte hash loop", Limit: 1.5, Format: times, Of: guest("metered : not metered, byte hash loop")},
	{What: "metered : not metered, recursion", Limit: 1.5, Format: times, Of: guest("metered : not metered, recursion")},
	{What: "a loop stops after its deadline", Limit: 5, Format: milliseconds, Of: guest("a loop stops after its deadline")},
	{What: "a tree of calls stops after its deadline", Limit: 5, Format: milliseconds, Of: guest("a tree of calls stops after its deadline")},
	{What: "runs a second through HTTP, 1 client: agenthost, SQLite : langgraph dev", Limit: 20, Least: true, Format: times, Of: slower("server", "1", peerDev, oursInSQLite)},
	{What: "the same, 16 clients", Limit: 20, Least: true, Format: times, Of: slower("server", "16", peerDev, oursInSQLite)},
	{What: "the same, 16 clients: agenthost, PostgreSQL : Aegra", Limit: 20, Least: true, Format: times, Of: slower("server", "16", peerAegra, oursInPostgres), Why: whyStatements},
	{What: "first token by the server : by a direct call, more", Limit: 1e6, Format: duration, Of: func(r *Results) (float64, error) {
		served, err := r.median("token", oursInSQLite, "first", nanoseconds)
		if err != nil {
			return 0, err
		}
		direct, err := r.median("token", directCall, "first", nanoseconds)
		return served - direct, err
	}, Why: whyToken},
	{What: "an idle stream of a server", Limit: 60e3, Format: size, Of: value("idle", oursInSQLite, idleStream, nanoseconds), Why: whyIdle},
	{What: "the studio's first view, on loopback", Limit: 300e6, Format: duration, Of: value("studio", firstView, "value", nanoseconds)},
	{What: "size of the studio's page, compressed", Limit: 60e3, Format: size, Of: value("studio", pageSize, "value", nanoseconds)},
	{What: "from frame to frame while 10,000 events scroll in the studio", Limit: frame, Format: duration, Of: slowestView},
	{What: "start to the first request, 3 plugins of TinyGo and Rust", Limit: 25e6, Format: duration, Of: started("agenthost, 3 plugins (redact, guard, loopguard: TinyGo, Rust, Rust)")},
	{What: "idle thread of 100 messages in memory : its messages", Limit: 1.5, Format: times, Of: guest("idle thread of 100 messages in memory : its messages")},
}
