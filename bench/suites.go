package main

// inLeaking is the row of a guest that never frees memory.
const inLeaking = "agenthost, TinyGo, gc: leaking"

func hooksSuite() *Suite {
	row := func(label, flavor string) Row { return Row{Label: label, Peer: "agenthost", Flavor: flavor} }
	return &Suite{
		Name: "hooks", Title: "a hook that reads a message of 1 KB and returns an update, in each place where it can run", Unit: "call",
		Cases: []Case{{"hook", "a call"}},
		Rows: []Row{
			row("agenthost, TinyGo", "tinygo"),
			row(inLeaking, "leaking"),
			row("agenthost, Rust", "rust"),
			row("agenthost, standard Go", "go"),
			row("agenthost, TypeScript", "typescript"),
			row("agenthost, Python", "python"),
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
		Cases: []Case{
			{"plain", "plain"},
			{"five", "five"},
			{"memory", "memory"},
			{"five-memory", "five, memory"},
			{"parallel8", "8 tools"},
			{"plain-2000", "plain, 2,000"},
			{"five-memory-2000", "five, memory, 2,000"},
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
		Cases: []Case{
			{"0/10", "10 rounds"},
			{"0/100", "100"},
			{"0/400", "400"},
			{"5/10", "10, 5 middlewares"},
			{"5/100", "100, 5"},
			{"5/400", "400, 5"},
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

func togetherSuite() *Suite {
	return &Suite{
		Name: "together", Title: "runs at once, whose threads one SQLite file keeps, with a model that takes no time", Unit: "round",
		Cases: []Case{{"1", "1 run"}, {"50", "50 runs"}},
		Extra: []Extra{{throughput, "rounds a second", digits}},
		Free:  true,
		Rows:  []Row{{Label: oursInSQLite, Peer: "agenthost", Flavor: "round"}},
	}
}

const (
	stepP99     = "p99_step_ns"
	halfP99     = "p99_step_half_ns"
	bytesPerRun = "bytes_per_run"
	livePerRun  = "live_per_run"
	throughput  = "rounds_per_second"
)

// crowdOfPlugins is the row that targets are about.
const crowdOfPlugins = "agenthost, 3 plugins"

func crowdSuite() *Suite {
	return &Suite{
		Name: "crowd", Title: "1,000 runs at once, each of 10 rounds, with a model that takes 20 ms", Unit: "round",
		Cases: []Case{{"crowd", "wall time a round"}},
		Extra: []Extra{
			{throughput, "rounds a second", digits},
			{stepP99, "p99 of a step", duration},
			{halfP99, "p99 of a step at half of these rounds a second", duration},
			{livePerRun, "live memory of a run", size},
			{bytesPerRun, "memory of a run at the peak", size},
		},
		Free: true,
		Rows: []Row{
			{Label: crowdOfPlugins, Peer: "agenthost", Flavor: "plugins"},
			{Label: "agenthost, 3 native middlewares that do nothing", Peer: "agenthost", Flavor: "native"},
			{Label: "LangChain Python, 3 middlewares that do nothing", Peer: "langchain-python"},
		},
	}
}
