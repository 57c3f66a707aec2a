import type { Description, Message, ModelRequest, ToolCall, Value, View } from "./documents.js"

export type HookName = "beforeAgent" | "beforeModel" | "wrapModelCall" | "afterModel" | "wrapToolCall" | "afterAgent" | "callTool"

/** What a hook gets: of the messages, those that it declares. Keys that are left out have values for tests, and fields start as in a run. */
export interface Input {
	answers?: { [key: string]: Value }
	call?: ToolCall
	context?: { [key: string]: Value }
	known?: boolean
	messages?: Message[] | View
	request?: Partial<Omit<ModelRequest, "messages">> & { messages?: Message[] | View }
	state?: { [field: string]: Value }
	run?: string
	thread?: string
}

export interface Options {
	/** Answers a call of next. It throws to fail, or to interrupt if the error's interrupted is true. */
	next?(change: Value): Value
	/** Answers to operations, such as "http.fetch". The others are not available. */
	operations?: { [op: string]: (payload: Value) => Value }
	/** The virtual time, in milliseconds since 1970. */
	now?: number
	seed?: number
}

export interface Outcome {
	/** The Result that the hook wrote, with the keys of the ABI; undefined: nothing. */
	result: Value
	log: { level: "debug" | "info" | "warn" | "error", text: string }[]
	events: { name: string, data?: Value }[]
	/** What the hook passed to each call of next. */
	next: Value[]
}

/** A plugin in the engine. */
export interface Plugin {
	readonly description: Description
	/** Calls a hook. It throws a PluginError if the hook fails. */
	call(hook: HookName, input?: Input, options?: Options): Outcome
}

/** Why a hook failed. The type "fault" means that the plugin broke. */
export class PluginError extends Error {
	readonly type: string
	readonly data?: Value
	readonly retryable: boolean
}

/** Loads a script in JavaScript, or a module that `agenthost plugin pack` made. */
export function load(file: string | { readonly href: string }, options?: { config?: { [key: string]: Value } }): Promise<Plugin>

/** Loads a plugin from the source of a script in JavaScript. */
export function loadSource(source: string, options?: { file?: string, config?: { [key: string]: Value } }): Promise<Plugin>
