// A host for tests: it runs a plugin in the real engine, on Node's WebAssembly, without limits of time and memory. What is around
// the hook, such as other middleware and the state, is the test's.
import { readFile } from "node:fs/promises"
import { basename, extname } from "node:path"
import { decode, encode } from "./msgpack.js"

const section = "agenthost.script"
const snake = { beforeAgent: "before_agent", beforeModel: "before_model", wrapModelCall: "wrap_model_call", afterModel: "after_model",
	wrapToolCall: "wrap_tool_call", afterAgent: "after_agent", callTool: "call_tool" }
const starts = { add: 0, append: [] } // of fields with these reducers
const OK = 0n, FAILED = -20n, INTERRUPTED = -21n, NOT_SUPPORTED = -5n

/** Loads a plugin: a script in JavaScript, or a module that agenthost plugin pack made, for scripts in TypeScript and with imports. */
export async function load(file, { config = {} } = {}) {
	const path = file instanceof URL ? file : String(file)
	const bytes = await readFile(path)
	if (extname(String(path)) === ".wasm") {
		const module = await WebAssembly.compile(bytes)
		const [script] = WebAssembly.Module.customSections(module, section)
		if (!script) throw new Error(`${path} has no script; make it with: agenthost plugin pack`)
		return new Plugin(module, new Uint8Array(script), config)
	}
	return loadSource(bytes.toString(), { file: basename(String(path)), config })
}

let engine

/** Loads a plugin from the source of a script in JavaScript. */
export async function loadSource(source, { file = "plugin.js", config = {} } = {}) {
	engine ??= readFile(new URL("engine.wasm", import.meta.url)).then((bytes) => WebAssembly.compile(bytes))
	return new Plugin(await engine, encode({ file, source }), config)
}

/** Why a hook failed. */
export class PluginError extends Error {
	constructor({ type, message, data, retryable = false }) {
		super(message)
		this.name = "PluginError"
		this.type = type
		this.data = data
		this.retryable = retryable
	}
}

class Plugin {
	#instance
	#frame = { log: [] }
	#n = 0

	constructor(module, script, config) {
		this.#instance = new WebAssembly.Instance(module, { agenthost_v1: this.#abi(), wasi_snapshot_preview1: this.#wasi() })
		this.#enter("_initialize", script)
		this.description = this.#enter("describe").result
		for (const [key, schema] of Object.entries(this.description.config_schema?.properties ?? {})) {
			if (!(key in config) && "default" in schema) config = { ...config, [key]: schema.default }
		}
		const { result } = this.#enter("configure", encode(config))
		if (result?.error) throw new PluginError(result.error)
		if (result) this.description = result
	}

	/** Calls a hook, such as "wrapToolCall", or a tool by "callTool". */
	call(hook, input = {}, { next = () => ({}), operations = {}, now = 1_767_225_600_000, seed = 1 } = {}) {
		const name = snake[hook]
		if (!name) throw new TypeError(`there is no hook ${hook}; choose from ${Object.keys(snake).join(", ")}`)
		const document = encode({ ...this.#completed(name, hook, input), step: `test.${name}`, n: ++this.#n, seed, now: BigInt(now) * 1_000_000n })
		const frame = this.#enter(name, document, { next, operations, now: BigInt(now) * 1_000_000n, seed: BigInt(seed) })
		const { result, log, events, changes } = frame
		if (result?.error) throw Object.assign(new PluginError(result.error), { log })
		return { result, log, events, next: changes }
	}

	// Returns what the plugin says of a hook or tool. Inputs that no host sends are refused.
	#declared(name, hook, input) {
		if ((name === "wrap_tool_call" || name === "call_tool") && !input.call) {
			throw new TypeError(`${hook} needs a call in its input: { call: { id: "call-1", name: "search", args: {} } }`)
		}
		const { hooks, tools = [] } = this.description
		if (name === "call_tool") {
			if (tools.some((t) => t.name === input.call.name)) return {}
			throw new TypeError(`the plugin has no tool ${input.call.name}; it has ${tools.map((t) => t.name).join(", ") || "none"}`)
		}
		if (hooks[name]) return hooks[name]
		const has = Object.keys(snake).filter((key) => hooks[snake[key]])
		throw new TypeError(`the plugin has no ${hook}; it has ${has.join(", ") || "none"}`)
	}

	// Returns an input with what the host adds to it: start values of the fields, and of the messages those that the hook sees.
	#completed(name, hook, input) {
		const { messages: shows = "none", reads } = this.#declared(name, hook, input)
		const state = {}
		for (const { name: field, reducer } of this.description.fields ?? []) {
			if (reducer in starts && (!reads || reads.includes(field))) state[field] = starts[reducer]
		}
		const document = { run: "run-1", ...input, state: { ...state, ...input.state } }
		const request = name === "wrap_model_call" ? document.request = { model: "test", tools: [], ...input.request } : undefined
		const holder = request ?? document
		holder.messages = shows === "none" ? undefined : view(holder.messages ?? [], shows)
		return document
	}

	// Calls an export.
	#enter(name, input = new Uint8Array(), more = {}) {
		const frame = this.#frame = { input, reply: new Uint8Array(), log: [], events: [], changes: [], now: 0n, seed: 0n, ...more }
		let code
		try {
			code = this.#instance.exports[name](input.length)
		} catch (e) {
			throw new PluginError({ type: "fault", message: frame.log.at(-1)?.text ?? String(e) })
		}
		if (code === 1) frame.result = decode(frame.written)
		return frame
	}

	#bytes(at, n) {
		return new Uint8Array(this.#instance.exports.memory.buffer, at, n)
	}

	// Copies a document to the guest, if it has room for it, and returns its length.
	#deliver(document, at, room) {
		if (room >= document.length) this.#bytes(at, document.length).set(document)
		return document.length
	}

	#outcome(status, reply) {
		this.#frame.reply = reply === undefined ? new Uint8Array() : encode(reply)
		return status << 32n | BigInt(this.#frame.reply.length)
	}

	// Calls a function of the test for what the plugin asks for.
	#ask(answer, payload) {
		try {
			return this.#outcome(OK, answer(payload))
		} catch (e) {
			if (e?.interrupted) return this.#outcome(INTERRUPTED)
			return this.#outcome(FAILED, { type: e?.type ?? "error", message: String(e?.message ?? e) })
		}
	}

	#abi() {
		const text = (at, n) => new TextDecoder().decode(this.#bytes(at, n))
		const document = (at, n) => n === 0 ? {} : decode(this.#bytes(at, n).slice())
		return {
			input_read: (at, room) => this.#deliver(this.#frame.input, at, room),
			reply_read: (at, room) => this.#deliver(this.#frame.reply, at, room),
			result_write: (at, n) => {
				this.#frame.written = this.#bytes(at, n).slice()
				return 0
			},
			log: (level, at, n) => void this.#frame.log.push({ level: ["debug", "info", "warn", "error"][level], text: text(at, n) }),
			next: (at, n) => {
				const change = document(at, n)
				this.#frame.changes.push(change)
				return this.#ask(this.#frame.next, change)
			},
			host_call: (op, opLength, at, n) => {
				const name = text(op, opLength), payload = document(at, n)
				if (name === "event.emit") {
					this.#frame.events.push(payload)
					return this.#outcome(OK)
				}
				const answer = this.#frame.operations[name]
				return answer ? this.#ask(answer, payload) : this.#outcome(NOT_SUPPORTED)
			},
		}
	}

	// The parts of WASI that the engine imports: a clock and random numbers that follow the input, and no files.
	#wasi() {
		const BADF = 8
		return {
			clock_time_get: (clock, precision, at) => {
				new DataView(this.#instance.exports.memory.buffer).setBigUint64(at, this.#frame.now, true)
				return 0
			},
			random_get: (at, n) => {
				let state = this.#frame.seed
				for (const i of Array(n).keys()) {
					state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n)
					this.#bytes(at + i, 1)[0] = Number(state >> 56n)
				}
				return 0
			},
			fd_close: () => BADF, fd_fdstat_get: () => BADF, fd_seek: () => BADF, fd_write: () => BADF,
		}
	}
}

// Returns the messages that a hook sees of a list: all, or the last ones.
const view = (messages, shows) => {
	if (!Array.isArray(messages)) return messages
	const from = shows.last === undefined ? 0 : Math.max(0, messages.length - shows.last)
	return { from, items: messages.slice(from), total: messages.length }
}
