import type {
	Budget, Content, Description, FieldSpec, KVEntry, KVPage, Message, ModelInfo, ModelRequest, ModelResponse, RunInfo, Target, ToolCall, ToolSpec, Value,
	View, ViewSpec,
} from "./documents.js"

export type * from "./documents.js"

/** Makes a plugin. A script exports it: `export default plugin({ name, version, ... })`. */
export function plugin(definition: Definition): Plugin

/** Makes a tool of the plugin. */
export function tool<Args = Value>(run: (args: Args, call: ToolContext) => Awaitable<ToolResult>, spec: ToolOptions): Tool

/** A plugin, which only the engine can use. */
export interface Plugin { readonly name: string }

/** A tool, for the key tools of a plugin. */
export interface Tool { readonly spec: { readonly name: string } }

export type ToolOptions = {
	name: string
	description?: string
	/** A JSON Schema of its arguments. */
	schema?: Value
	/** The model is never offered the tool; next({ tool }) calls it. */
	dynamic?: boolean
	idempotent?: boolean
	returnDirect?: boolean
	extras?: ToolSpec["extras"]
}

/** An error with a type for programs. Other middleware can retry or answer it. */
export class HookError extends Error {
	constructor(type: string, message: string, options?: { data?: Value, retryable?: boolean })
	readonly type: string
	readonly data?: Value
	readonly retryable?: boolean
}

/** What plugin() takes. */
export interface Definition {
	name: string
	version: string
	/** A plugin that guards something is not skipped when it fails. */
	guards?: boolean
	/** A JSON Schema of the configuration. */
	configSchema?: Value
	/** Keys of the run's context that the plugin is shown, such as "tenant". The operator grants them. */
	context?: string[]
	/** Called once in each instance. It throws to refuse the configuration, and may return a narrower Description. */
	configure?(config: Value, description: Description): Description | void
	fields?: { [name: string]: Field }
	/** Operations that need a grant, with the reason that the operator reads. */
	capabilities?: { [op: string]: string | { reason: string, required?: boolean } }
	tools?: Tool[]
	beforeAgent?: NodeHook
	beforeModel?: NodeHook
	wrapModelCall?: ModelHook
	afterModel?: NodeHook
	wrapToolCall?: ToolHook
	afterAgent?: NodeHook
}

/** A field of the state. */
export interface Field {
	/** The default is "run". */
	lifetime?: "thread" | "run" | "step"
	reducer?: "last" | "add" | "append"
	hideInput?: boolean
	hideOutput?: boolean
	schema?: FieldSpec["schema"]
}

type Awaitable<T> = T | Promise<T>

/** A hook, alone or with what it declares. */
type Hook<F, More = {}> = F | ({
	hook: F
	/** The messages that it sees. */
	messages?: ViewSpec
	/** The fields that it sees; the default is the plugin's own. */
	reads?: string[]
	/** Fields of other middleware that it writes. */
	writes?: string[]
} & More)

type NodeHook = Hook<(call: Context) => Awaitable<NodeResult>, { canJumpTo?: Target[] }>
type ModelHook = Hook<(call: ModelCall) => Awaitable<ModelResult>, { passesTokens?: boolean }>
type ToolHook = Hook<(call: ToolWrap) => Awaitable<ToolResult>, { /** Only calls of these tools. */ tools?: string[] }>

/** Changes of the state. */
export interface Update {
	messages?: Message[]
	/** The messages are the whole history from now on. */
	overwrite?: boolean
	/** Changed messages, by their ids. */
	patch?: Partial<Message>[]
	/** Ids of messages. */
	remove?: string[]
	state?: { [field: string]: Value }
}

export type NodeResult = (Update & { jumpTo?: Target }) | void
export type ModelResult = string | (Partial<Message> & { role: "ai" }) | ModelResponse | (Update & { response?: ResponseChange | ModelResponse }) | void
export type ToolResult = string | (Partial<Message> & { content: Content }) | Message | (Update & { toolMessage?: string | Partial<Message> }) | void

export interface ResponseChange {
	messages?: Partial<Message>[]
	model?: string
	stopReason?: string
	structured?: Value
}

/** What every hook gets. Documents are frozen. */
export interface Context {
	readonly config: Value
	/** What the caller of the run said, as far as the plugin declares it and is granted it. */
	readonly context: { readonly [key: string]: Value }
	/** The declared fields. */
	readonly state: { readonly [field: string]: Value }
	/** The declared messages. */
	readonly messages: readonly Message[]
	readonly view: View
	/** Fields that are too large for state: readFields reads them. */
	readonly large?: readonly string[]
	readonly run: string
	readonly thread?: string
	readonly step: string
	/** Counts the calls of the hook, from 1. */
	readonly n: number
	/** The virtual time, in milliseconds since 1970. */
	readonly now: number
	readonly log: Log
	/** Asks the outside world: returns the answer, or leaves the hook until there is one. */
	interrupt(question: Value, options?: { key?: string }): Value
	store(scope: "run" | "thread" | "plugin"): Store
	fetch(url: string, options?: FetchOptions): Response
	/** Makes several requests at once. The outcomes are in their order. */
	fetchAll(requests: ({ url: string } & FetchOptions)[]): Settled<Response>[]
	generate(request: { messages: Partial<Message>[], model?: string, settings?: Value, system?: Content }): ModelResponse
	/** Calls the granted model for several requests at once. The outcomes are in their order. */
	generateAll(requests: Parameters<Context["generate"]>[0][]): Settled<ModelResponse>[]
	/** Which agent and run this is, and what the run has used so far. */
	runInfo(): RunInfo
	/** What the host knows about a configured model; without a name, about the request's model in wrapModelCall, and elsewhere the agent's. */
	modelInfo(model?: string): ModelInfo
	/** Counts tokens as the host's own limits do. */
	countTokens(messages: Partial<Message>[]): number | bigint
	/** Waits, for real. It needs the capability clock.sleep. */
	sleep(ms: number): void
	callTool(name: string, args?: Value): Message
	readFields(...fields: string[]): { [field: string]: Value }
	readMessages(from: number | bigint, count: number | bigint): Message[]
	emit(name: string, data?: Value): void
	budget(): Budget
	/** The real time, in milliseconds since 1970. */
	clockNow(): number
	randomBytes(count: number): Uint8Array
}

/** What wrapModelCall gets. */
export interface ModelCall extends Context {
	readonly request: ModelRequest
	/** The tools that the request offers, with their descriptions and parameters. */
	toolSpecs(): ToolSpec[]
	/** Calls the inner layers and returns their response. */
	next(change?: {
		addTools?: ToolSpec[], appendSystem?: Content, messages?: Partial<Message>[], model?: string, overwrite?: boolean, patch?: Partial<Message>[],
		remove?: string[], settings?: Value, system?: Content, toolChoice?: string, tools?: string[],
	}): ModelResponse
}

/** What wrapToolCall gets. */
export interface ToolWrap extends Context {
	readonly call: ToolCall
	readonly known?: boolean
	/** Calls the inner layers, which run the tool, and returns its message. */
	next(change?: { args?: Value, name?: string, setArgs?: Value, tool?: string }): Message
}

/** What a tool gets. */
export interface ToolContext extends Context {
	readonly call: ToolCall
	/** Names this execution: a repetition after a crash has the same key. */
	readonly idempotencyKey: string
}

export interface Log {
	debug(...values: Value[]): void
	info(...values: Value[]): void
	warn(...values: Value[]): void
	error(...values: Value[]): void
}

/** Entries that outlive the hook. */
export interface Store {
	get(key: string): KVEntry | undefined
	/** Returns the new version. The version 0 means that there is no entry. */
	put(key: string, value: Value, options?: { ifVersion?: number }): number
	delete(key: string, options?: { ifVersion?: number }): void
	list(options?: { after?: string, limit?: number, prefix?: string }): KVPage
}

/** How one of several operations ended. */
export type Settled<T> = { value: T, error?: undefined } | { value?: undefined, error: HookError }

export interface FetchOptions {
	body?: string | Uint8Array
	headers?: { [name: string]: string }
	method?: string
	timeoutMs?: number
}

export interface Response {
	readonly status: number
	readonly ok: boolean
	readonly url: string
	readonly headers: readonly { name: string, value: string }[]
	readonly body: Uint8Array
	text(): string
	json(): Value
}

declare global {
	/** Writes to the plugin's log. */
	var console: Log & { log(...values: Value[]): void }
}
