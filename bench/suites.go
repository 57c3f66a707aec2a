package main

func hooksSuite() *Suite {
	row := func(label, flavor string) Row { return Row{Label: label, Peer: "agenthost", Flavor: flavor} }
	return &Suite{
		Name: "hooks", Title: "a hook that reads a message of 1 KB and returns an update, in each place where it can run", Unit: "call",
		Text: "An agent performs 51 rounds with and without the middleware, in turns; the difference is what 52 calls of its `before_model` cost, with all that the framework does for them. " +
			"The hook reads the text of the last message, 1,024 bytes, and adds its length to a field of the state. All but LangChain are the same agent of agenthost: what is not native gets the ABI's msgpack document of the last message, and answers with the ABI's document; " +
			"with the SDK of Extism, gRPC, HTTP and the shell, a native middleware carries the documents there.\n\n" +
			"In favour of the others: whoever crosses by gRPC, HTTP, or a shell gets no limits, no fuel, no time out, no isolation of memory from call to call, and the bare SDK of Extism no fuel either; the shell command reads the text alone and counts it with `wc -c`, no document; LangChain's hook is in the process, " +
			"and is handed the whole list of messages without a copy. In favour of agenthost: on one core, a process that answers cannot run beside the one that waits (with two, each call would have to wake the other). *Bare call* is Python's method by itself, which no agent calls so.",
		Cases: []Case{{"hook", "a call"}},
		Rows: []Row{
			row("agenthost, TinyGo", "tinygo"),
			row("agenthost, Rust", "rust"),
			row("agenthost, standard Go", "go"),
			row("agenthost, a plugin of Extism (TinyGo)", "extism"),
			row("agenthost, native", "native"),
			row("Extism's SDK (TinyGo)", "extism-sdk"),
			row("hashicorp/go-plugin, gRPC", "go-plugin"),
			row("HTTP on loopback", "http"),
			row("a shell command", "shell"),
			{Label: "LangChain Python", Peer: "langchain-python", Flavor: "sync"},
			{Label: "LangChain Python, async", Peer: "langchain-python", Flavor: "async"},
			{Label: "LangChain Python, bare call", Peer: "langchain-python", Flavor: "call"},
			{Label: "LangChain JS", Peer: "langchain-js"},
		},
	}
}

const runTime = "run_ns"

func loopSuite() *Suite {
	return &Suite{
		Name: "loop", Title: "a model→tool round of the agent loop, with a model that takes no time", Unit: "round",
		Text: "A round is a call of the model, which asks for one tool, and the tool's execution. Runs of 51 rounds and of 1 are performed in turns; the difference by 50 is a round, so what a run costs once does not count here; it does in *the whole run by its rounds*. " +
			"*five* are middlewares with one `before_model` that does nothing (Eino's react agent: what its README here says); *memory* is the framework's checkpointer or session in memory, with a new thread a run; *8 tools* are asked for in one response; *2,000* are messages that the history begins with.\n\n" +
			"In favour of the peers: Eino's ADK compiles its graph for each run, and all but agenthost and Eino take in the input slowly: the slope leaves that out. Python's and JavaScript's JIT, caches and pools are warm. Eino keeps no conversations, so it has no memory to pay for. In favour of agenthost: it is in Go, whose " +
			"goroutines and allocations cost less than the objects of Python and JavaScript, and a real model takes a second: no user of LangChain waits for these microseconds; who runs a thousand agents in a process, or tests them, does. adk-go keeps a session always, so its *plain* is its *memory*.",
		Cases: []Case{
			{"plain", "plain"}, {"five", "five"}, {"memory", "memory"}, {"five-memory", "five, memory"},
			{"parallel8", "8 tools"}, {"plain-2000", "plain, 2,000"}, {"five-memory-2000", "five, memory, 2,000"},
		},
		Extra: []Extra{{runTime, "the whole run by its rounds", duration}},
		Rows: []Row{
			{Label: "agenthost", Peer: "agenthost"},
			{Label: "Eino, react", Peer: "eino", Flavor: "react"},
			{Label: "Eino, ADK", Peer: "eino", Flavor: "adk"},
			{Label: "adk-go", Peer: "adk"},
			{Label: "LangChain Python", Peer: "langchain-python", Flavor: "sync"},
			{Label: "LangChain Python, async", Peer: "langchain-python", Flavor: "async"},
			{Label: "LangChain JS", Peer: "langchain-js"},
		},
	}
}

const (
	storedLast   = "stored_last"
	writtenRound = "written_last50"
	perText      = "database_to_text"
)

func checkpointSuite() *Suite {
	return &Suite{
		Name: "checkpoint", Title: "a round of a thread that SQLite keeps, and what it leaves there", Unit: "round",
		Text: "A thread of 10, 100 or 400 rounds in a new database, each round with a response and a tool result of 300 bytes, with 0 or 5 middlewares that have two hooks which do nothing. The time is the mean of the last 10 rounds; for *exit*, which writes once, " +
			"of all. The mode is named always: agenthost's durability `round` (its default), `step` (after every hook) and `exit`; LangGraph's SqliteSaver with durability *sync* (its default), with the beta *DeltaChannel*, and *exit*. Each reads the thread back from the file, whole.\n\n" +
			"In favour of LangGraph: its `synchronous` is SQLite's FULL in WAL mode like agenthost's, but what it stores in *sync* is after each node, so compare it with `step`; with `round` agenthost loses at most a round in a crash, and performs no tool twice. In favour of agenthost: time on this disk is mostly the disk's, so little of " +
			"LangGraph's time for short threads is its own. With *exit* both lose the whole run in a crash.",
		Cases: []Case{
			{"0/10", "10 rounds"}, {"0/100", "100"}, {"0/400", "400"},
			{"5/10", "10, 5 middlewares"}, {"5/100", "100, 5"}, {"5/400", "400, 5"},
		},
		Extra: []Extra{
			{storedLast, "documents of the last round", size},
			{writtenRound, "written to files in a round, mean of the last 50", size},
			{perText, "database : text", times},
			{runTime, "the whole run by its rounds", duration},
		},
		Rows: []Row{
			{Label: "agenthost, round", Peer: "agenthost", Flavor: "round"},
			{Label: "agenthost, step", Peer: "agenthost", Flavor: "step"},
			{Label: "agenthost, exit", Peer: "agenthost", Flavor: "exit"},
			{Label: "LangGraph, sync", Peer: "langchain-python", Flavor: "sync"},
			{Label: "LangGraph, sync, DeltaChannel (beta)", Peer: "langchain-python", Flavor: "delta"},
			{Label: "LangGraph, exit", Peer: "langchain-python", Flavor: "exit"},
		},
	}
}

const (
	stepP99     = "p99_step_ns"
	bytesPerRun = "bytes_per_run"
	throughput  = "rounds_per_second"
)

func crowdSuite() *Suite {
	return &Suite{
		Name: "crowd", Title: "1,000 runs at once, each of 10 rounds, with a model that takes 20 ms", Unit: "round",
		Text: "All runs begin together, in one process on all cores. *p99* is the time from the end of one call of the model to the begin of the next in the same run: hooks, the tool and whoever was before it. Memory is the process's greatest resident size less that " +
			"before the runs, by 1,000. The model and the tool are in the process. With no plugin at all, a round cannot take less than 2 µs here, as 1,000 models answer in 20 ms.\n\n" +
			"In favour of LangChain: its three middlewares do nothing, where agenthost's three plugins (redact, guard, loopguard: TinyGo, Rust, Rust) look at each message and call. In favour of agenthost: it has all cores, and Python one.",
		Cases: []Case{{"crowd", "wall time a round"}},
		Extra: []Extra{
			{throughput, "rounds a second", digits},
			{stepP99, "p99 of a step", duration},
			{bytesPerRun, "memory of a run", size},
		},
		Free: true,
		Rows: []Row{
			{Label: "agenthost, 3 plugins", Peer: "agenthost", Flavor: "plugins"},
			{Label: "agenthost, 3 native middlewares that do nothing", Peer: "agenthost", Flavor: "native"},
			{Label: "LangChain Python, 3 middlewares that do nothing", Peer: "langchain-python"},
		},
	}
}
