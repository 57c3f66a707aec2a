package main

// The packages of agenthost whose benchmarks are run.
const (
	pluginPackage = "host/plugin"
	meterPackage  = "host/plugin/meter"
	threadPackage = "test/threadcost"
)

// metrics lists the numbers that the report takes from agenthost's own benchmarks.
var metrics = []metric{
	{title: "hook, no view and no result: hand-written guest", pkg: pluginPackage, bench: "BenchmarkHookFloor/wat", unit: "ns/op"},
	{title: "the same: TinyGo", pkg: pluginPackage, bench: "BenchmarkHookFloor/tinygo", unit: "ns/op"},
	{title: "the same: Rust", pkg: pluginPackage, bench: "BenchmarkHookFloor/rust", unit: "ns/op"},
	{title: "the same: standard Go", pkg: pluginPackage, bench: "BenchmarkHookFloor/go", unit: "ns/op"},
	{title: "the same: JavaScript", pkg: pluginPackage, bench: "BenchmarkHookFloor/js", unit: "ns/op"},
	{title: "the same: Python", pkg: pluginPackage, bench: "BenchmarkHookFloor/python", unit: "ns/op"},
	{title: "1 KB in, update out : both documents natively: TinyGo", pkg: pluginPackage, bench: "BenchmarkHook1KB/tinygo", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "1 KB in, update out : both documents natively: TinyGo, gc: leaking", pkg: pluginPackage, bench: "BenchmarkHook1KB/leaking", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "1 KB in, update out : both documents natively: Rust", pkg: pluginPackage, bench: "BenchmarkHook1KB/rust", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "1 KB in, update out : both documents natively: standard Go", pkg: pluginPackage, bench: "BenchmarkHook1KB/go", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "1 KB in, update out : both documents natively: JavaScript", pkg: pluginPackage, bench: "BenchmarkHook1KB/js", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "1 KB in, update out : both documents natively: Python", pkg: pluginPackage, bench: "BenchmarkHook1KB/python", run: "BenchmarkHook1KB", unit: "x_native", format: times},
	{title: "hook at 10,000 messages : at 10, view last", pkg: pluginPackage, bench: "BenchmarkHistory/last_1/10000", run: "BenchmarkHistory", unit: "x_10", format: times},
	{title: "hook at 10,000 messages : at 10, view new", pkg: pluginPackage, bench: "BenchmarkHistory/new/10000", run: "BenchmarkHistory", unit: "x_10", format: times},
	{title: "wrap layer that only calls next: hand-written guest", pkg: pluginPackage, bench: "BenchmarkWrapModel/wat", unit: "ns/op"},
	{title: "wrap layer: TinyGo", pkg: pluginPackage, bench: "BenchmarkWrapModel/tinygo", unit: "ns/op"},
	{title: "wrap layer: TinyGo, gc: leaking", pkg: pluginPackage, bench: "BenchmarkWrapModel/leaking", unit: "ns/op"},
	{title: "wrap layer: Rust", pkg: pluginPackage, bench: "BenchmarkWrapModel/rust", unit: "ns/op"},
	{title: "wrap layer: standard Go", pkg: pluginPackage, bench: "BenchmarkWrapModel/go", unit: "ns/op"},
	{title: "wrap layer: JavaScript", pkg: pluginPackage, bench: "BenchmarkWrapModel/js", unit: "ns/op"},
	{title: "wrap layer: Python", pkg: pluginPackage, bench: "BenchmarkWrapModel/python", unit: "ns/op"},
	{title: "8 parallel tool calls and their round, no plugin", pkg: pluginPackage, bench: "BenchmarkParallelTools/none", unit: "ns/batch"},
	{title: "8 parallel tool calls through a wrap: hand-written guest", pkg: pluginPackage, bench: "BenchmarkParallelTools/wat", unit: "ns/batch"},
	{title: "8 parallel tool calls through a wrap: TinyGo", pkg: pluginPackage, bench: "BenchmarkParallelTools/tinygo", unit: "ns/batch"},
	{title: "one more instance: TinyGo", pkg: pluginPackage, bench: "BenchmarkInstance/tinygo", unit: "ns/op"},
	{title: "one more instance: Rust", pkg: pluginPackage, bench: "BenchmarkInstance/rust", unit: "ns/op"},
	{title: "one more instance: JavaScript", pkg: pluginPackage, bench: "BenchmarkInstance/js", unit: "ns/op"},
	{title: "one more instance: Python", pkg: pluginPackage, bench: "BenchmarkInstance/python", unit: "ns/op"},
	{title: "its memory, at most: TinyGo", pkg: pluginPackage, bench: "BenchmarkInstance/tinygo", unit: "bytes", format: size},
	{title: "its memory, at most: Rust", pkg: pluginPackage, bench: "BenchmarkInstance/rust", unit: "bytes", format: size},
	{title: "its memory, at most: JavaScript", pkg: pluginPackage, bench: "BenchmarkInstance/js", unit: "bytes", format: size},
	{title: "its memory, at most: Python", pkg: pluginPackage, bench: "BenchmarkInstance/python", unit: "bytes", format: size},
	{title: "metered : not metered, standard Go decodes 1,000 messages", pkg: meterPackage, bench: "BenchmarkOverhead/standard_Go_decodes_1,000_messages", unit: "ratio", format: times},
	{title: "metered : not metered, TinyGo redacts 1 MB", pkg: meterPackage, bench: "BenchmarkOverhead/TinyGo_redacts_1_MB", unit: "ratio", format: times},
	{title: "metered : not metered, Rust scans 1 MB", pkg: meterPackage, bench: "BenchmarkOverhead/Rust_scans_1_MB", unit: "ratio", format: times},
	{title: "metered : not metered, JavaScript reads 100 messages", pkg: meterPackage, bench: "BenchmarkOverhead/JavaScript_reads_100_messages", unit: "ratio", format: times},
	{title: "metered : not metered, Python reads 100 messages", pkg: meterPackage, bench: "BenchmarkOverhead/Python_reads_100_messages", unit: "ratio", format: times},
	{title: "metered : not metered, counting loop", pkg: meterPackage, bench: "BenchmarkOverhead/counting_loop", unit: "ratio", format: times},
	{title: "metered : not metered, byte hash loop", pkg: meterPackage, bench: "BenchmarkOverhead/byte_hash_loop", unit: "ratio", format: times},
	{title: "metered : not metered, recursion", pkg: meterPackage, bench: "BenchmarkOverhead/recursion", unit: "ratio", format: times},
	{title: "a loop stops after its deadline", pkg: pluginPackage, bench: "BenchmarkStop/loop", unit: "ms-late", format: milliseconds, free: true},
	{title: "a tree of calls stops after its deadline", pkg: pluginPackage, bench: "BenchmarkStop/tree_of_calls", unit: "ms-late", format: milliseconds, free: true},
	{title: "the longest garbage collection beside a loop", pkg: pluginPackage, bench: "BenchmarkStop/loop", unit: "ms-gc", format: milliseconds, free: true},
	{title: "the longest garbage collection beside a tree of calls", pkg: pluginPackage, bench: "BenchmarkStop/tree_of_calls", unit: "ms-gc", format: milliseconds, free: true},
	{title: "idle thread of 100 messages in memory : its messages", pkg: threadPackage, bench: "BenchmarkIdleThread", unit: "x_messages", format: times},
}
