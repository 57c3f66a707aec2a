package certify

// Verdict is the verdict of a check.
type Verdict string

// The verdicts.
const (
	Pass          Verdict = "pass"
	Fail          Verdict = "fail"
	NotApplicable Verdict = "not applicable"
)

// Check is a rule of SPEC.md that a guest can break.
type Check struct {
	ID      string
	Section int      // section of SPEC.md
	Advice  bool     // SPEC.md says SHOULD, or calls the behaviour useless: a guest that fails the check is still certified
	Says    []string // the sentences of SPEC.md, word for word
	Absent  string   // why the check does not apply, if the guest never came near its rule
}

// must makes a check that a guest has to pass.
func must(section int, id, absent string, says ...string) Check {
	return Check{ID: id, Section: section, Says: says, Absent: absent}
}

func should(section int, id, absent string, says ...string) Check {
	c := must(section, id, absent, says...)
	c.Advice = true
	return c
}

// The reasons why checks do not apply.
const (
	noHook       = "the plugin has no hook and no tool"
	noNext       = "no wrap hook calls next"
	noOperation  = "no hook calls an operation"
	noCapability = "no hook calls a capability"
	noBatch      = "no hook calls batch"
	noTool       = "the plugin lists no tool"
	noConfigure  = "configure is not exported"
	noNarrowing  = "configure writes no Description"
	noSchema     = "the Description has no config_schema"
	noMessages   = "no hook is shown messages"
	noReads      = "no hook reads fields"
	notLoaded    = "the plugin did not load"
)

// Checks returns all checks, by section.
func Checks() []Check {
	var all []Check
	for _, part := range [][]Check{
		documentChecks(), moduleChecks(), loadChecks(), frameChecks(), resultChecks(), wrapChecks(), callChecks(),
	} {
		all = append(all, part...)
	}
	return all
}

func documentChecks() []Check {
	return []Check{
		must(1, "frame.msgpack", notLoaded,
			"The host MUST refuse a document of a guest that breaks these rules, has bytes after its value, nests "+
				"deeper than 64 arrays and maps, has more than 131,072 values (map keys not counted), or claims more "+
				"elements than it has bytes.",
			"a guest MUST NOT write a malformed document even if it writes another one later",
			"a document of the guest that is not valid msgpack as in §1"),
		must(1, "call.unknown-keys", noHook,
			"Unknown keys MUST be ignored by host and guest, except for state fields (§8).",
			"Host and guest ignore keys that they do not know, so they read a document of a later minor version "+
				"without its new keys."),
	}
}

func moduleChecks() []Check {
	return []Check{
		must(2, "module.form", "",
			"A plugin is a *reactor* module of the WebAssembly Core Specification 2.0: no threads, no tail calls, no "+
				"exceptions, one 32-bit memory.",
			"and so MUST a function `_start`: such a module is a program that runs once, not a reactor."),
		must(2, "module.memory", notLoaded, "| `memory` | memory | required; its own, not imported |"),
		must(2, "module.marker", notLoaded,
			"| `agenthost_abi_v1` | `() -> ()` | required; empty, never called; it says which version the plugin was built "+
				"for |"),
		must(2, "module.describe", notLoaded, "| `describe` | `() -> i32` | required |"),
		must(2, "module.exports", notLoaded, "An export of one of these names with another type MUST be refused"),
		must(2, "module.imports", notLoaded,
			"It MAY also import functions of `wasi_snapshot_preview1`, and MUST NOT import anything else."),
		must(3, "module.description", "the module carries no Description",
			"A module MAY carry what `describe` returns, in canonical form, as its custom section `agenthost.description`, "+
				"at most once"),
		must(2, "module.instance", notLoaded,
			"| `_initialize` | `() -> ()` | optional; called once in every new instance, before anything else |",
			"A fault before the first call of a hook means that the plugin is not loaded."),
	}
}

func loadChecks() []Check {
	return []Check{
		must(3, "describe.returns", notLoaded, "There is no input; the guest writes its **Description** and returns 1."),
		must(6, "describe.types", notLoaded, "a known key with a value of the wrong type"),
		should(1, "describe.keys", notLoaded, "Unknown keys MUST be ignored by host and guest, except for state fields (§8)."),
		should(1, "result.known-keys", noHook, "Unknown keys MUST be ignored by host and guest, except for state fields (§8)."),
		must(6, "describe.abi", notLoaded, "| `abi` | `uint` | 1 |", "`abi` in the Description is the major version."),
		must(3, "describe.names", notLoaded,
			"Names of plugins, fields, tools and events have 1 to 64 characters: ASCII letters, digits and any of `_-./[]`.",
			"| `context?` | `[str]` | *1.1:* keys of the run's context that the plugin is shown (§8); names as in §3 |"),
		must(6, "describe.unique", notLoaded,
			"| `capabilities?` | [Capability] | no `op` twice |",
			"| `fields?` | [FieldSpec] | no name twice |",
			"| `tools?` | [ToolSpec] | no name twice |"),
		must(6, "describe.empty", notLoaded,
			"| `version` | `str` | of the plugin; not empty |",
			"`reason` (`str`, not empty, shown to the operator who grants it)"),
		must(6, "describe.fields", "the plugin declares no field",
			"| `lifetime` | `str` | `thread`, `run` or `step` (§8) |",
			"| `reducer?` | `str` | `last`, which is the same as absent, `add` or `append` (§8) |"),
		must(3, "describe.schemas", "the Description has no schema",
			"Schemas of a guest are JSON Schemas (draft 2020-12) as msgpack maps, at most 64 KiB and nested at most 32 deep, "+
				"without `$ref`, `$dynamicRef` and `$defs`.",
			"| `parameters?` | `map` | a JSON Schema whose `type` is `object`, any other is refused; absent: no parameters |"),
		must(2, "describe.exported", notLoaded,
			"A hook that it lists but the module does not export MUST be refused when the plugin is loaded",
			"| `call_tool` | `(len i32) -> i32` | required if the Description lists a tool |"),
		must(6, "describe.specs", "the plugin has no hook",
			"`can_jump_to`, `passes_tokens`, `tools` and the view `new` are refused where they do not apply.",
			"| `can_jump_to?` | `[str]` | node hooks: `model`, `tools`, `end` |"),
		must(14, "describe.limits", notLoaded,
			"fields, tools, capabilities, keys in `context` and names in a list of a HookSpec 256 each (§6)"),
		must(3, "configure.accepts", noConfigure,
			"In every instance that will serve calls the host calls `configure`, if it is exported.",
			"The input is the configuration: a map, which is empty if there is no configuration."),
		must(3, "configure.any", noSchema,
			"Or it refuses the configuration: it writes a map with the key `error`, an Error, and returns 1."),
		must(3, "configure.refuses", "no configuration was given that it refuses (--refused-config)",
			"Or it refuses the configuration: it writes a map with the key `error`, an Error, and returns 1.",
			"All instances MUST write equal bytes."),
		must(3, "configure.works", noSchema, "The guest returns 0 (the Description of `describe` holds)",
			"The host calls hooks and `call_tool`, each time in any free instance."),
		must(3, "configure.description", noNarrowing, "or writes a **narrowed Description** and returns 1"),
		must(3, "configure.identity", noNarrowing,
			"A narrowed Description MUST stay within the first:", "`abi`, `name` and `version` are equal."),
		must(3, "configure.subset", noNarrowing,
			"`context` is a subset.",
			"Fields, tools and capabilities are a subset, each unchanged, except for a tool's `description` and "+
				"`parameters`, which may depend on the configuration."),
		must(3, "configure.hooks", noNarrowing,
			"Hooks are a subset by name. In each hook, `can_jump_to`, `reads`, `writes` and `tools` are subsets (an "+
				"absent `tools` means all), and `messages` is a view that shows no more. The order of the views is "+
				"`none`, `{last: K}` by K, then `new` and `all`, which count as equal."),
	}
}

func frameChecks() []Check {
	return []Check{
		must(3, "frame.load", notLoaded, "`next` and `host_call` are protocol faults there."),
		must(4, "frame.pointer", notLoaded,
			"A buffer that the host has to read or write and that does not lie within the memory is a protocol fault"),
		must(4, "frame.return", notLoaded, "Any other value, or 1 without a write, is a protocol fault."),
		must(4, "frame.written", notLoaded, "Any other value, or 1 without a write, is a protocol fault."),
		must(4, "frame.log", "the guest logs nothing",
			"`level` is 0 debug, 1 info, 2 warning or 3 error; any other level is a protocol fault."),
		must(14, "frame.size", notLoaded, "| document that a guest writes | 1 MiB | fault `limit` |"),
		must(10, "frame.next", "the guest never calls next", "In other exports `next` is a protocol fault."),
		should(4, "closed.returns", "nothing of the guest can be interrupted or cancelled",
			"The guest SHOULD return at once"),
	}
}

func resultChecks() []Check {
	const nothing = "no hook writes such a result"
	return []Check{
		must(6, "result.types", nothing, "a known key with a value of the wrong type"),
		must(6, "result.keys", nothing, "a key that the hook may not use (§6, Result)"),
		must(6, "result.jump", nothing,
			"| `jump_to?` | `str` | node hooks | a target that `can_jump_to` lists: `model`, `tools` or `end` |"),
		must(8, "result.fields", nothing, "Any other name in `state`, unlike unknown keys elsewhere, is a protocol fault."),
		must(8, "result.values", nothing,
			"So is a value that does not fit the field's schema or reducer, by the declaration that counts"),
		must(5, "result.messages", nothing,
			"a patch or removal of a message that does not exist",
			"A message that the same update removes cannot be patched."),
		must(5, "result.identity", nothing, "a patch or replacement that changes `id`, `role` or `tool_call_id`"),
		must(5, "result.roles", nothing, "a message with a role other than the four"),
		must(5, "result.tool-messages", nothing,
			"a tool message for a call that nobody made or that is already answered (unless `overwrite` is set)"),
		must(6, "result.tool-calls", nothing,
			"Keys: `args` (`{any}`), `id` (`str`, unique within its message, not empty), `name` (`str`, of the tool, not "+
				"empty)."),
		must(9, "result.overwrite", nothing, "`remove` or `patch` beside it is a protocol fault."),
		must(12, "result.interrupts", "no hook asks",
			"Their keys MUST be unique within the result.",
			"an interrupt without a key, or with a key of more than 256 bytes; two interrupts with the same key; more than 64 interrupts"),
		should(10, "result.asks-first", "no hook asks",
			"A hook SHOULD request its interrupts before it calls `next`, because it runs again from its start when the run is resumed."),
		must(12, "interrupt.resume", "no hook asks",
			"When it is resumed with answers, the same call is made again from its start, in any instance, with all answers "+
				"so far in `answers`, by key."),
		must(10, "result.response", nothing,
			"An id that is not in the reply is a protocol fault. New messages have the role `ai`, which may be left out, or "+
				"`tool`. A response without a message of the role `ai` is a protocol fault."),
		must(10, "result.answer", nothing,
			"the host fills in `role`, `tool_call_id` and `name`; the first two, if given, MUST be right. `status` is "+
				"`success` if absent. An `id` is a protocol fault, because the host assigns it.",
			"its keys replace those of the reply's message. `id`, `role` and `tool_call_id` MUST NOT differ."),
		must(10, "result.unseen", nothing,
			"A reply that was not shown cannot be changed: `response` and `tool_message` are then protocol faults."),
		must(11, "tool.answers", noTool,
			"A result without `tool_message`, or a return of 0, is a protocol fault: a tool always answers, if only "+
				"with an empty text."),
	}
}

func wrapChecks() []Check {
	const changes = "no wrap hook changes its request or call"
	return []Check{
		must(6, "next.types", changes,
			"What `wrap_model_call` passes to `next`: how the request differs from the one in its input.",
			"What `wrap_tool_call` passes to `next`: how the call differs from the one in its input."),
		must(6, "next.tools", changes,
			"| `tools?` | NameList | the tools to keep, in the request's order; all of them are already offered |",
			"A name in `tools` that is not offered is a protocol fault, and so is a name in `add_tools` that is already offered."),
		must(6, "next.add-tools", changes,
			"| `add_tools?` | [ToolSpec] | offered as well, after `tools`; no name that is already offered, and no name twice |"),
		must(6, "next.messages", changes,
			"| `messages?` | [Message] | as in an update (§9), of the request's messages |",
			"a patch or removal of a message that does not exist"),
		must(6, "next.tool", changes, "| `tool?` | `str` | the tool to run: one that the plugin declared as `dynamic` |"),
		must(10, "wrap.ok", noNext, "With status 0 the reply is a ModelResponse or a ToolReply."),
		must(10, "wrap.failed", noNext,
			"| 0, or an update alone | the host calls `next` | its outcome is passed on | its error is passed on unchanged |",
			"| -20 | `failed` | it was done and failed | an Error |"),
		must(4, "wrap.errno", noNext, "the call was refused before it had an effect"),
		must(4, "wrap.unknown-errno", noNext, "A guest MUST treat an errno that it does not know as a refusal."),
		should(4, "wrap.unknown-status", noNext,
			"For any other status that it does not know, a guest assumes that the call had an effect and no reply"),
		must(10, "wrap.limit", noNext,
			"Every `next` counts against the limit, even one that is refused, except in a closed frame."),
		must(4, "wrap.too-big", noNext, "the call has run, and only its reply cannot be shown"),
		must(10, "wrap.retries", noNext,
			"A repeated `next` runs everything inside again and drops the state updates of the earlier call"),
		must(16, "wrap.unknown-keys", noNext, "Host and guest ignore keys that they do not know"),
		must(14, "wrap.long", noNext, "| input document, and reply | 4 MiB | fault `limit`; `ETOOBIG` |"),
		must(13, "op.name", noOperation, "the operation's name has at most 64 bytes; a longer name is a protocol fault."),
		should(13, "op.document", noOperation,
			"A document other than the one in the table is `EINVAL`, and so is an event's name that is not allowed."),
		should(13, "op.declared", noCapability, "An operation that was not asked for or not granted is `EDENIED`"),
		must(4, "op.errno", noOperation,
			"The statuses from −1 to −19 are *errnos*: the call was refused before it had an effect."),
		must(4, "op.unknown-errno", noOperation, "A guest MUST treat an errno that it does not know as a refusal."),
		should(4, "op.unknown-status", noOperation,
			"For any other status that it does not know, a guest assumes that the call had an effect and no reply"),
		must(13, "op.denied", "no hook calls a capability that is not required",
			"A plugin has the capabilities that its Description (the narrowed one, if there is one) asks for and that "+
				"the operator has granted."),
		must(5, "op.failed", noCapability, "An **error** is an ordinary outcome: `error` in a Result, or status −20."),
		should(13, "op.batch", noBatch,
			"`batch` performs up to 32 calls of `http.fetch` and `model.generate` at once.",
			"The status of any other operation is `ENOTSUP`", "No calls, or more than 32, are `EINVAL`."),
		must(13, "op.batch-statuses", noBatch,
			"Each counts as a `host_call` of its own, is allowed or refused as it would be alone, and has a status and a reply "+
				"of its own.",
			"A reply with which the replies would be larger than the input limit is left out, and its status is `ETOOBIG`."),
		must(6, "op.least", "no hook calls `run.info`, `model.info` or `tools.read`",
			"A key is absent if the host does not know.",
			"`parent?` (`str`, id of the run whose tool or hook started this run; absent: none)"),
		must(16, "op.missing", "no hook calls an operation that came after version 1.0",
			"A guest finds out whether an operation exists by calling it: a host without it answers `ENOENT`."),
		must(16, "op.unknown-keys", noOperation,
			"A minor version adds operations, optional keys, errnos, capabilities or hooks, and changes nothing that "+
				"exists."),
	}
}

func callChecks() []Check {
	return []Check{
		must(6, "call.minimal", noHook, "The input of every hook and of `call_tool`."),
		must(6, "call.full", noHook, "The input of every hook and of `call_tool`."),
		must(7, "call.empty-history", noMessages,
			"| `all` | all messages | 0 |",
			"| `{last: K}` | the last K messages, fewer if there are fewer | `total` − length of `items` |"),
		must(6, "call.roles", noMessages, "| `role` | `str` | `human`, `ai`, `tool` or `system` |"),
		must(1, "call.numbers", noHook,
			"| integer | `uint`, `int` | −2⁶³ … 2⁶⁴−1; `uint` is not negative; the host reads any of the integer forms |",
			"When the host passes on a guest's floats, it keeps their width."),
		must(1, "call.unicode", noHook, "| str | `str` | valid UTF-8 |"),
		must(8, "call.large", noReads,
			"A field whose encoded value is larger than 4 KiB is left out and named in `large`; `state.read` fetches it."),
		must(6, "call.answers", noHook,
			"| `answers?` | `{any}` | after a resume: all answers to this hook's questions in this step, by key (§12) |"),
		must(8, "call.context", "the Description lists no key in `context`",
			"A key that the caller did not give is absent.",
			"A host of version 1.0 shows no context, so a guest that cannot do without a key SHOULD return an error when the key "+
				"is absent."),
		must(6, "call.blocks", noMessages,
			"Blocks of other types and keys that are not listed here are kept byte for byte, because providers need them back."),
		must(1, "call.deep", noHook,
			"A value that comes from a model or a caller nests at most 48 arrays and maps, so a guest can put it into a document of its own",
			"A value of a guest may be deeper, and a document of the host that contains it then nests deeper than 64 itself."),
		must(4, "call.long", noHook,
			"The host calls `hook(len)`; `len` is the size of the input document.",
			"otherwise it copies nothing"),
		must(7, "call.views", "no hook has the view new",
			"The view shows what changed since: messages appended (`items`), older ones that were replaced (`patch`, whole "+
				"messages, which take the place of what the guest knew), older ones that were removed (`remove`)."),
		must(5, "call.random", noHook,
			"| `trap` | the code trapped: unreachable, an access outside of memory, stack overflow, … |",
			"| `fuel` | it used up its fuel |"),
		should(15, "instance.leaks", noHook,
			"A guest SHOULD free what it allocates in a call: the host replaces an instance whose memory keeps growing."),
		must(15, "instance.interchangeable", noHook,
			"a guest MUST NOT rely on anything that it left in memory, nor assume that it is gone",
			"A hook is a pure function from its input document to its result: the host MAY run it again."),
	}
}
