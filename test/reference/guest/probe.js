// The probe as a plugin in JavaScript. It does the same as the guest in Go, document by document. Its runner writes a line before
// this file that declares bound, the Description that covers the probes of the vectors: see main.go.
import { HookError, plugin, tool } from "agenthost"

const nodeHooks = ["before_agent", "before_model", "after_model", "after_agent"]
const wrapHooks = ["wrap_model_call", "wrap_tool_call"]

// The script that this instance performs.
let script

const mistake = (text) => new HookError("probe_mistake", text)
const camel = (key) => key.replace(/_./g, (c) => c[1].toUpperCase())
const camelKeys = (object) => Object.fromEntries(Object.entries(object).map(([key, value]) => [camel(key), value]))
const distinct = (names) => [...new Set(names)].sort()

// Texts

function show(value) {
	return typeof value === "string" ? value : json(value)
}

function json(value) {
	if (value === null || value === undefined) return "null"
	if (typeof value === "number") return Number.isInteger(value) ? String(value) : float(value)
	if (Array.isArray(value)) return `[${value.map(json).join()}]`
	if (typeof value === "object") {
		return `{${Object.keys(value).sort().map((key) => quoted(key) + ":" + json(value[key])).join()}}`
	}
	return typeof value === "string" ? quoted(value) : String(value)
}

// As Go writes floats: with an exponent of two digits below 1e-4 and from 1e6 on.
function float(value) {
	const [digits, exponent] = value.toExponential().split("e")
	if (exponent >= -4 && exponent < 6) return String(value)
	return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

function quoted(text) {
	const short = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }
	return `"${text.replace(/["\\\u0000-\u001f]/g, (c) => short[c] ?? "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))}"`
}

// Replaces every {name} in a text by what lookup returns. Unknown names stay.
const expand = (text, lookup) => text.replace(/\{([a-zA-Z0-9_.#-]+)\}/g, (whole, name) => lookup(name) ?? whole)

// Replaces {n} in every string of a value.
function numbered(value, n) {
	if (typeof value === "string") return value.replaceAll("{n}", n)
	if (Array.isArray(value)) return value.map((element) => numbered(element, n))
	if (value === null || typeof value !== "object") return value
	return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, numbered(element, n)]))
}

const textOf = (content) => typeof content === "string" ? content : (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join("")

// Messages

const filled = (value) => value === null || value === "" ? undefined : value
const list = (items) => items?.length > 0 ? items : undefined

function message(o, role = o.role) {
	const m = { role, id: filled(o.id), name: filled(o.name), content: filled(o.content) }
	if (role === "ai") {
		m.tool_calls = list(o.tool_calls?.map((c) => ({ id: c.id ?? "", name: c.name, args: c.args })))
		m.invalid_tool_calls = list(o.invalid_tool_calls?.map((c) => ({
			id: c.id ?? "", name: c.name ?? "", args: c.args, error: filled(c.error),
		})))
		if (o.usage) {
			const { input_tokens = 0, output_tokens = 0, total_tokens = 0 } = o.usage
			m.usage = { input_tokens, output_tokens, total_tokens }
		}
		if (o.provider) m.meta = { provider: o.provider }
	} else if (role === "tool") {
		m.tool_call_id = filled(o.tool_call_id)
		m.status = o.status ?? "success"
	}
	return m
}

// Updates

// Collects the state updates of one call.
class Updates {
	made = false
	messages = []
	overwrite
	remove = []
	state = {}

	add(update) {
		this.made = true
		for (const m of update.messages ?? []) this.message(m)
		for (const [key, value] of Object.entries(update)) if (key !== "messages") this.state[key] = value
	}

	// Adds a message or a removal. The last entry for an id counts.
	message(o) {
		if (o.role !== "remove") {
			if (o.id) this.remove = this.remove.filter((id) => id !== o.id)
			this.messages.push(message(o))
		} else if (o.id === "*") {
			this.overwrite = true
			this.messages = []
			this.remove = []
		} else {
			const kept = this.messages.filter((m) => m.id !== o.id)
			if (kept.length === this.messages.length && !this.overwrite) this.remove.push(o.id)
			this.messages = kept
		}
	}

	set(field, value) {
		this.made = true
		this.state[field] = value
	}

	result() {
		const state = Object.keys(this.state).length > 0 ? this.state : undefined
		return { jumpTo: this.jumpTo, messages: list(this.messages), overwrite: this.overwrite, remove: list(this.remove), state }
	}
}

// Returns the parts together, or undefined if there is nothing in them.
function together(...parts) {
	const given = Object.entries(Object.assign({}, ...parts)).filter(([, value]) => value !== undefined)
	return given.length > 0 ? Object.fromEntries(given) : undefined
}

// The script

const actionKinds = [
	"log", "update", "increment", "jump_to", "interrupt", "raise", "override", "call_next", "respond", "transform", "command",
]
const kindOf = (action) => actionKinds.find((kind) => Object.hasOwn(action, kind))
const due = (action, n) => !action.only_on || action.only_on.includes(n)

function reads(action) {
	const fields = [], note = (text) => void expand(text, (name) => void (name.startsWith("state.") && fields.push(name.slice(6))))
	if (action.log !== undefined) note(action.log)
	if (typeof action.respond?.content === "string" && action.respond.role === undefined) note(action.respond.content)
	if (action.increment !== undefined) fields.push(action.increment)
	if (action.call_next?.on_error !== undefined) note(action.call_next.on_error)
	return fields
}

function writes(action) {
	const update = action.update ?? action.command
	if (update !== undefined) return Object.keys(update).filter((key) => key !== "messages")
	if (action.increment !== undefined) return [action.increment]
	return action.interrupt !== undefined && action.into ? [action.into] : []
}

function fieldSpec([name, { schema, visibility, lifetime, reducer }]) {
	return {
		name, schema, reducer, lifetime: { ephemeral: "step", untracked: "run" }[lifetime] ?? "thread",
		hide_input: visibility === "omit_input" || visibility === "private" || undefined,
		hide_output: visibility === "omit_output" || visibility === "private" || undefined,
	}
}

const toolSpec = (dynamic) => ({ name, description = "", parameters, return_direct, extras }) => ({
	name, description, parameters, dynamic, return_direct: return_direct || undefined,
	extras: extras && Object.keys(extras).length > 0 ? extras : undefined,
})

function description({ fields: declared, script }) {
	const own = Object.keys(script.state ?? {}), hooks = {}
	for (const [name, hook] of Object.entries(script.hooks)) {
		const known = (of, wanted) => list(distinct(hook.do.flatMap(of)).filter(wanted))
		hooks[name] = {
			messages: { last: 1 }, can_jump_to: list(hook.can_jump_to), tools: hook.tools,
			reads: known(name === "wrap_model_call" ? modelReads : reads, (field) => declared.includes(field)),
			writes: known(writes, (field) => declared.includes(field) && !own.includes(field)),
		}
	}
	return {
		abi: 1, name: "probe", version: "1.0.0", config_schema: { type: "object" }, hooks,
		fields: list(Object.entries(script.state ?? {}).sort(([a], [b]) => a < b ? -1 : 1).map(fieldSpec)),
		tools: list((script.dynamic_tools ?? []).map(toolSpec(true))),
	}
}

// A response of the model is not text with names.
const modelReads = (action) => action.respond ? [] : reads(action)

// Hooks

function stateOf(call, field) {
	return call.large?.includes(field) ? call.readFields(field)[field] : call.state[field]
}

function lookup(call, name) {
	if (name === "n") return String(call.n)
	if (name === "messages" || name === "last") {
		let view = call.view
		if (!view) { // wrap_model_call sees the messages of the request, not those of the state
			const items = call.readMessages(0, 9223372036854775807n)
			view = { items, total: items.length }
		}
		const last = view.items.at(-1)?.content ?? ""
		return name === "messages" ? String(view.total) : show(last)
	}
	if (!name.startsWith("state.")) return undefined
	const value = stateOf(call, name.slice(6))
	return value === undefined || value === null ? "-" : show(value)
}

const line = (call, text, extra = () => undefined) => expand(text, (name) => extra(name) ?? lookup(call, name))

function increased(value, by) {
	const known = value ?? 0
	if (typeof known !== "number" && typeof known !== "bigint") throw mistake("increment: the field is not a number: " + show(value))
	return typeof known === "bigint" || typeof by === "bigint" ? BigInt.asIntN(64, BigInt(known) + BigInt(by)) : known + by
}

function node(name, call) {
	const updates = new Updates()
	script.hooks[name].do.forEach((action, place) => {
		if (!due(action, call.n)) return
		switch (kindOf(action)) {
		case "log":
			return call.emit("log", line(call, action.log))
		case "update":
			return updates.add(numbered(action.update, call.n))
		case "increment":
			return updates.set(action.increment, increased(stateOf(call, action.increment), action.by ?? 1))
		case "jump_to":
			return void (updates.jumpTo = action.jump_to)
		case "interrupt": {
			const answer = call.interrupt(action.interrupt, { key: String(place) })
			return action.into ? updates.set(action.into, answer) : undefined
		}
		case "raise":
			throw new HookError(action.raise.type, action.raise.message)
		}
	})
	return together(updates.result())
}

// Performs call_next. Returns the failure if it is to become an answer.
function callNext(call, action, change) {
	const { retries = 0, on_error } = action.call_next === true ? {} : action.call_next
	for (let i = 0; ; i++) {
		try {
			return { reply: call.next(change) }
		} catch (e) {
			if (!(e instanceof HookError)) throw e
			if (i < retries) continue
			if (on_error === undefined) throw e
			return { failure: e }
		}
	}
}

const errorNames = (e) => (name) => name === "type" ? e.type : name === "message" ? e.message : undefined

function transformed(how, text) {
	return how === "upper" ? text.toUpperCase() : (how.prefix ?? "") + text + (how.suffix ?? "")
}

const addedTool = toolSpec(undefined)

function overrideModel(change, o, request) {
	let system = textOf(change.system ?? request.system)
	if (o.system_prompt !== undefined) change.system = system = o.system_prompt
	if (o.append_system_prompt !== undefined) change.system = system + o.append_system_prompt
	if (o.messages !== undefined) {
		change.overwrite = true
		change.messages = undefined
	}
	change.messages = list([...change.messages ?? [], ...[...o.messages ?? [], ...o.append_messages ?? []].map((m) => message(m))])
	if (o.tools !== undefined) {
		change.tools = (change.tools ?? request.tools).filter((name) => o.tools.includes(name))
		change.addTools = list((change.addTools ?? []).filter((t) => o.tools.includes(t.name)))
	}
	change.addTools = list([...change.addTools ?? [], ...(o.add_tools ?? []).map(addedTool)])
	if (o.tool_choice !== undefined) change.toolChoice = o.tool_choice
	if (o.settings && Object.keys(o.settings).length > 0) change.settings = { ...change.settings, ...o.settings }
	if (o.model) change.model = o.model
}

function wrapModel(call) {
	const updates = new Updates()
	let change, reply, response
	const respond = (o) => {
		reply = undefined
		response = [message(o, "ai")]
	}
	const transform = (how) => {
		if (!response && !reply) throw mistake("transform: there is no response yet")
		response = (response ?? reply.messages.map(({ id }) => ({ id }))).map((m) => ({ ...m }))
		const is = response.map((m, i) => ({ role: "ai", ...reply?.messages[i], ...m }))
		const at = is.findLastIndex((m) => m.role === "ai")
		if (at < 0) throw mistake("transform: the response has no AI message")
		response[at].content = transformed(how, textOf(is[at].content))
	}
	for (const action of script.hooks.wrap_model_call.do) {
		if (!due(action, call.n)) continue
		switch (kindOf(action)) {
		case "log":
			call.emit("log", line(call, action.log))
			break
		case "override":
			overrideModel(change ??= {}, action.override, call.request)
			break
		case "call_next": {
			const outcome = callNext(call, action, change)
			if (outcome.failure) {
				respond({ content: line(call, action.call_next.on_error, errorNames(outcome.failure)) })
			} else {
				reply = outcome.reply
				response = undefined
			}
			break
		}
		case "respond":
			respond(action.respond)
			break
		case "transform":
			transform(action.transform)
			break
		case "command":
			updates.add(numbered(action.command, call.n))
			break
		case "raise":
			throw new HookError(action.raise.type, action.raise.message)
		}
	}
	if (!reply && !response) throw mistake("wrap_model_call: the script ends without a response")
	return together(updates.result(), { response: response && { messages: response } })
}

function wrapTool(call) {
	const updates = new Updates()
	let change, reply, answer
	const toolName = () => change?.name || call.call.name
	const names = (name) => ({ tool: toolName(), id: call.call.id, known: String(call.known || Boolean(change?.tool)) })[name]
	const respond = (content, status) => {
		reply = undefined
		answer = { content, status, name: toolName() }
	}
	for (const action of script.hooks.wrap_tool_call.do) {
		if (!due(action, call.n)) continue
		switch (kindOf(action)) {
		case "log":
			call.emit("log", line(call, action.log, names))
			break
		case "override": {
			const { args, set_args, name, tool } = action.override
			change ??= {}
			if (args !== undefined) {
				change.args = args
				change.setArgs = undefined
			}
			if (set_args && Object.keys(set_args).length > 0) change.setArgs = { ...change.setArgs, ...set_args }
			if (name) change.name = name
			if (tool) change.tool = tool
			break
		}
		case "call_next": {
			const outcome = callNext(call, action, change)
			if (outcome.failure) {
				const more = errorNames(outcome.failure)
				respond(line(call, action.call_next.on_error, (name) => more(name) ?? names(name)), "error")
			} else {
				reply = outcome.reply
				answer = undefined
			}
			break
		}
		case "respond":
			respond(line(call, action.respond.content, names), action.respond.status ?? "success")
			break
		case "transform":
			if (!answer && !reply) throw mistake("transform: there is no answer yet")
			answer = { ...answer, content: transformed(action.transform, textOf((answer ?? reply).content)) }
			break
		case "command":
			updates.add(numbered(action.command, call.n))
			break
		case "raise":
			throw new HookError(action.raise.type, action.raise.message)
		}
	}
	if (!reply && !answer) throw mistake("wrap_tool_call: the script ends without an answer")
	return together(updates.result(), { toolMessage: answer })
}

// Tools

const executions = new Map() // in this instance, by tool

function callTool(args, call) {
	const { name, id } = call.call
	const own = (script.dynamic_tools ?? []).find((t) => t.name === name)
	if (!own) throw mistake("there is no tool " + name)
	const n = (executions.get(name) ?? 0) + 1
	executions.set(name, n)
	call.emit("tool_run", { args, id, name })
	if (own.log) call.emit("log", own.log)
	const updates = new Updates()
	const content = behave(own.behavior, args, call, n, updates)
	return together(updates.result(), { toolMessage: { content } })
}

// Returns what a tool answers. A sleep takes no time, because the clock of a call stands still.
function behave(b, args, call, n, updates) {
	const argument = (name) => args[name] === undefined ? "" : show(args[name])
	const text = (template) => expand(template, (name) => name === "#" ? String(n) : argument(name))
	switch (b.kind) {
	case "upper":
		return argument(b.arg).toUpperCase()
	case "json":
		return show(b.value)
	case "raise":
		if (b.then && n > (b.times ?? 1)) return behave(b.then, args, call, n, updates)
		throw new HookError(b.error.type, b.error.message)
	case "read_state": {
		const value = stateOf(call, b.field)
		return value === undefined ? "<missing>" : show(value)
	}
	case "command":
		updates.add(b.update)
		return text(b.text)
	case "interrupt":
		return "Answer: " + show(call.interrupt({ ask: text(b.ask), tool_call_id: call.call.id }, { key: "ask" }))
	default:
		return text(b.text)
	}
}

// The plugin, within its bound

const hooks = {}
for (const [name, spec] of Object.entries(bound.hooks ?? {})) {
	const run = nodeHooks.includes(name) ? (call) => node(name, call) : name === wrapHooks[0] ? wrapModel : wrapTool
	hooks[camel(name)] = { ...camelKeys(spec), hook: run }
}

export default plugin({
	name: bound.name, version: bound.version, configSchema: bound.config_schema,
	fields: Object.fromEntries((bound.fields ?? []).map(({ name, ...spec }) => [name, camelKeys(spec)])),
	tools: (bound.tools ?? []).map((spec) => tool(callTool, camelKeys(spec))),
	configure(config) {
		script = config.script
		return description(config)
	},
	...hooks,
})
