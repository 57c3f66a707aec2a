package hostile

// Line is a line of the checklist: one way to attack a host of plugins.
type Line struct {
	Text  string
	Tests []Test // tests that cover the line in addition to the corpus, or instead of it
	None  string // the reason why no guest can try it; "": a guest can
}

// Test is a test elsewhere in the repository.
type Test struct{ Dir, Name string }

// Lines returns the checklist. The index is the number of the line; 0 is empty.
func Lines() []Line {
	at := func(dir string, names ...string) []Test {
		var tests []Test
		for _, name := range names {
			tests = append(tests, Test{dir, name})
		}
		return tests
	}
	core := func(names ...string) []Test { return at("host/plugin", names...) }
	fetch := func(names ...string) []Test { return at("host/plugin/fetch", names...) }
	return []Line{
		{},

		// Load and link.
		{Text: "A file that is empty or not a module."},
		{Text: "A module that is cut off at the border of a section, or inside one.", Tests: at("host/plugin/preflight", "TestEveryTruncation", "FuzzCheck")},
		{Text: "Counts of 2³²−1 items, in every section and in the names."},
		{Text: "A module larger than the largest.", Tests: core("TestFileFaults")},
		{Text: "A function body of more than 256 KiB."},
		{Text: "Small code that takes a compiler seconds: nested blocks, loops over many variables, branches in a row, calls of many values."},
		{Text: "A br_table with very many labels."},
		{Text: "Hundreds of thousands of tiny functions, types, globals, segments."},
		{Text: "Very many exports, or one with a name of a megabyte."},
		{Text: "Names of exports with zero bytes, escapes, and bytes that are not UTF-8."},
		{Text: "A table that starts with 100 million elements."},
		{Text: "A table without a maximum that grows.", Tests: at("host/plugin/meter", "TestTablesGetAMaximum")},
		{Text: "A memory that starts above its limit."},
		{Text: "No memory with the required name."},
		{Text: "Two memories, a shared one, one of 64 bits."},
		{Text: "A memory, table or global imported from another plugin."},
		{Text: "A function imported from another plugin."},
		{Text: "Imports of modules and functions that do not exist."},
		{Text: "An import with the right name and the wrong type."},
		{Text: "A hook exported with the wrong type."},
		{Text: "Markers of other versions of the ABI, and of two at once."},
		{Text: "A start section that loops, traps, exits, or recurses."},
		{Text: "_initialize that loops, traps or exits, with wazero's own exit codes too."},
		{Text: "A program that runs once instead of a reactor."},
		{Text: "A custom section that claims what the Description does not."},
		{Text: "A Description that is too large, too deep, malformed, or lists far too much.", Tests: core("TestDescriptionFaults", "TestNarrowing")},
		{
			Text: "A file that changes between its check and its use.", Tests: core("TestDigest", "TestSignature"),
			None: "the file is read only once, and the host compiles the same bytes that it hashes",
		},
		{Text: "WASI's files, directories and sockets, where nothing is granted."},
		{
			Text:  "Code that names what the meter adds: the fuel, the import, the functions and variables; or hides instructions from it.",
			Tests: at("host/plugin/meter", "TestCollisionsAreRefused", "TestNothingOfTheMeterCanBeNamed", "FuzzRewrite"),
		},

		// Time.
		{Text: "An endless loop.", Tests: core("TestRunaways", "TestStopIsPrompt")},
		{Text: "A tree of calls that doubles at each level, without a loop.", Tests: core("TestStopIsPrompt")},
		{Text: "Recursion until the stack is full, with small and large frames."},
		{Text: "Operations on all of the memory, in a loop and in a straight line."},
		{Text: "The same for tables."},
		{Text: "A memory that grows by one page forever."},
		{Text: "Loops in describe and configure.", Tests: core("TestRunaways")},
		{Text: "A loop that only logs."},
		{Text: "A guest that spins while the host collects its garbage.", Tests: core("TestStopIsPrompt"), None: "the suite's guests all do; the pause is measured elsewhere"},
		{Text: "Fuel that lasts exactly, and one unit less.", Tests: at("host/plugin/meter", "TestFuelEndsExactly", "TestGoldenFuel")},
		{Text: "Calls through a table that call through the table."},
		{Text: "Code that catches the exception with which the host stops it."},
		{Text: "Storms of host calls that cost the guest little and the host much.", Tests: core("TestCallsAreLimited")},

		// Memory and pointers.
		{Text: "A pointer past the end of the memory."},
		{Text: "A pointer and a length whose sum overflows."},
		{Text: "A length of 2³²−1."},
		{Text: "A null pointer with a length."},
		{Text: "A wild pointer without a length, which is allowed.", Tests: core("TestLengthZeroNeedsNoPointer")},
		{Text: "A buffer larger than the memory."},
		{Text: "A buffer that overlaps the request."},
		{Text: "A buffer in the guest's own stack or data."},
		{Text: "Memory that grows between the reads of a document."},
		{Text: "Memory of exactly the limit, and then a result."},
		{Text: "A result that is overwritten after it was passed to the host.", Tests: core("TestResultIsCopied")},
		{Text: "An allocator that attacks when the host calls it; the host calls no allocator."},
		{Text: "Pointers that are kept from call to call."},
		{Text: "Results at the limit, above it, and of gigabytes."},
		{
			Text: "Many plugins that together ask for all memory.", Tests: append(core("TestMemoryIsShared"), Test{"host/plugin/hostile", "TestManyThatGrow"}),
			None: "it takes many guests; the test uses thirty",
		},

		// Protocol.
		{Text: "Documents of few bytes that claim gigabytes, or are nested a million deep.", Tests: at("abi/wire", "FuzzValidate")},
		{Text: "Extensions, timestamps, NaN, and numbers at the edge of their range."},
		{Text: "Texts that are not UTF-8, on their way to a model."},
		{Text: "Unknown keys, values of the wrong type, and missing keys."},
		{Text: "Jumps to targets that were not declared, or do not exist."},
		{Text: "Results that contradict themselves."},
		{Text: "Tool messages that answer nobody, or the same call twice."},
		{Text: "Updates of another plugin's fields, or of a hundred thousand values."},
		{Text: "Removals and patches of messages that do not exist, and very many of existing ones."},
		{Text: "Returns of other numbers, results without a return, returns without a result."},
		{Text: "Errors without a message, or with one of half a megabyte.", Tests: core("TestOrdinaryErrors")},
		{Text: "Escapes, control characters and marks of direction in everything that reaches a log or a terminal."},
		{Text: "A flood of log lines."},
		{Text: "Queries of the state with invalid numbers and names.", Tests: core("TestStatuses")},

		// Wrap hooks.
		{Text: "next not at all, several times, a hundred thousand times.", Tests: core("TestCallsAreLimited", "TestRepeatedNextDropsInnerUpdates")},
		{Text: "Replies read without a next, and long after it."},
		{Text: "next in a hook that has none.", Tests: core("TestHookFaults")},
		{
			Text: "next while another next of the same frame is in progress.", Tests: core("TestToolCapabilityNeverWaits"),
			None: "the host does not call into an instance that waits, so its code cannot run",
		},
		{Text: "Tools that call tools that call tools.", Tests: core("TestToolCapabilityIsLimitedInDepth")},
		{
			Text: "The same plugin twice in a chain, with one instance.", Tests: core("TestShortSupplyOfInstances"),
			None: "it depends on the agent's configuration",
		},
		{Text: "A trap after next has had its effect: nothing runs again.", Tests: core("TestHookFaults")},
		{
			Text: "A run that is cancelled while a guest waits in next, or runs.", Tests: core("TestCancelledFrames", "TestCancelledWhileItRuns", "TestClosedFrames"),
			None: "the run is cancelled from outside",
		},
		{
			Text: "A plugin that is exchanged or closed while a guest waits in next.", Tests: append(core("TestCloseWaits"), at("host", "TestSwapDuringARun")...),
			None: "it is the host that does so",
		},
		{Text: "Responses and requests that change what belongs to another call."},
		{Text: "Parallel tool calls into one plugin.", Tests: core("TestConcurrentRuns", "TestShortSupplyOfInstances"), None: "the model makes them"},

		// Effects.
		{Text: "proc_exit in a hook, with any code."},
		{Text: "Arguments, environment, clock and random numbers of the host."},
		{Text: "Sleeping for an hour, and subscriptions to nothing, and to far too much."},
		{Text: "Reading standard input.", Tests: core("TestGuestsWorld")},
		{Text: "Gigabytes of output."},
		{
			Text: "HTTP to private addresses in every spelling, past redirects, names that change, users in URLs, headers without an end, and slowly.",
			Tests: append(fetch("TestANameThatChangesItsAddress", "TestANameWithAPrivateAddressIsDenied", "TestARedirectToAPrivateAddressIsDenied",
				"TestRedirectsThatAreRefused", "TestURLs", "FuzzURL", "TestTheHeadersOfAResponseAreLimited", "TestTheWholeExchangeHasOneDeadline"),
				Test{"internal/publicnet", "TestAddresses"}),
		},
		{
			Text:  "Secrets that leave through logs, URLs and the store.",
			Tests: fetch("TestSecretsAreHiddenInResponses", "TestSecretsAreForHeadersOnly", "TestCredentialsStayWhereTheyWereSent"),
		},
		{
			Text: "Keys of another plugin, quotas, and versions that come back in the store.",
			Tests: append(core("TestKVCapabilityIsThePluginsOwn", "TestKVCapabilityHoldsQuotaAndScopes"), at("host/plugin/kv",
				"TestNamespacesShareNothing", "TestNothingBreaksOutOfItsName", "TestQuota", "TestDefaultQuota", "TestVersionsNeverComeBack")...),
		},
		{Text: "Clocks that are exact enough to measure the host.", Tests: core("TestClockAndRandomBytes")},
		{Text: "Fields and messages of other runs, by guessing their names."},
		{Text: "Names, reasons and schemas of a Description that a terminal would interpret as commands.", Tests: core("TestConfigureMayRefuse")},

		// Life cycle.
		{
			Text: "A fault in a hook: the next call has another instance.", Tests: append(core("TestHookFaults"), Test{"host/plugin/hostile", "TestGuests"}),
			None: "the suite checks it with every guest whose hook fails",
		},
		{
			Text: "A replacement that cannot be made: the call fails, and does not wait forever.", Tests: core("TestInstancesMustAgree", "TestMemoryIsShared"),
			None: "the host makes instances from equal inputs",
		},
		{Text: "Exchange of a plugin in the middle of a run.", Tests: at("host", "TestSwapDuringARun", "TestSwap"), None: "it is the host that does so"},
		{
			Text: "A thousand loads and unloads that leave something behind.", Tests: core("TestSoak", "TestLoadingLeavesNothing"),
			None: "the suite loads all guests, and looks at what is left",
		},
		{Text: "Closing while calls are in progress.", Tests: core("TestCloseWaits"), None: "it is the host that does so"},
		{
			Text: "A cache of compiled code that is corrupt, cut off, or cannot be written.", Tests: append(core("TestCacheDirectories"), Test{"host/plugin/hostile", "TestCacheThatIsGone"}),
			None: "no guest reaches the cache, which is trusted",
		},
		{
			Text: "No memory left for plugins: calls wait or fail, and the process goes on.", Tests: core("TestInstancesWaitForMemory", "TestMemoryIsShared"),
			None: "see the line of the plugins that grow together",
		},

		// What outlives a call.
		{
			Text: "Floods of events, large and tiny, from one call and from several at once.",
			Tests: append(core("TestEventsOfACallAreLimited", "TestEncodingOfEventsCountsAsTheGuestsTime"), at("host",
				"TestEventsThatWaitForTheirTurnAreBounded", "TestCallsBeginOnlyWhileThereIsRoomForTheirEvents", "TestNestedCallsAreRefusedWhileTooManyEventsWait")...),
		},
		{
			Text:  "A hook that adds to the state and starts the loop again, without a model call.",
			Tests: append(core("TestWhatAPluginWritesInARunIsLimited"), at("host", "TestMaxLoopsCountsRoundsWithoutAModelStep")...),
		},
		{Text: "A guest that leaks.", Tests: core("TestLeakingInstancesAreReplaced")},
		{
			Text:  "Tool calls that multiply the host calls of their caller, and operations that wait for ever.",
			Tests: core("TestHostCallsOfNestedToolCallsCountTogether", "TestWaitingForOperationsIsLimited"),
			None:  "it takes a grant",
		},
		{
			Text: "Arguments of a model that a careful guest cannot put into a document of its own, so that it faults and is skipped.",
			Tests: append(core("TestAPluginThatGuardsIsNotSwitchedOff"), append(at("host", "TestCallsWithDeepArgumentsAreMalformed"),
				at("sdk/go", "TestDocumentsThatNestTooDeeplyAreErrors")...)...),
			None: "the model attacks, not the guest",
		},
		{
			Text: "All of this at once, with models and tools that are hostile too.", Tests: at("host/plugin/hostile", "TestSiege"),
			None: "it takes many guests",
		},
	}
}
