// The types that the model and the views share: events as agenthost tells them, and what is made of them.

/**
 * @typedef {object} Block A part of a content.
 * @property {string} type
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {string} [refusal]
 * @property {string} [data]
 * @property {string} [mime_type]
 * @property {string} [name]
 * @property {string} [url]
 */

/** @typedef {{id: string, name: string, args: Record<string, unknown>}} ToolCall */
/** @typedef {{id: string, name: string, args: string, error?: string}} InvalidCall */

/**
 * @typedef {object} Usage
 * @property {number} input_tokens
 * @property {number} output_tokens
 * @property {number} total_tokens
 */

/**
 * @typedef {object} Message
 * @property {'human'|'ai'|'tool'|'system'} role
 * @property {string|Block[]} [content]
 * @property {string} [id]
 * @property {string} [name]
 * @property {ToolCall[]} [tool_calls]
 * @property {InvalidCall[]} [invalid_tool_calls]
 * @property {string} [tool_call_id]
 * @property {string} [status]
 * @property {unknown} [artifact]
 * @property {Usage} [usage]
 * @property {Record<string, unknown>} [meta]
 */

/** @typedef {{id?: string, step: string, call_id?: string, key?: string, value: unknown}} Interrupt */
/** @typedef {{type: string, message: string}} EventError */
/** @typedef {{jump_to?: string, messages?: Message[], overwrite?: boolean, patch?: {id?: string}[], remove?: string[], state?: Record<string, unknown>}} Update */
/** @typedef {{index: number, id?: string, name?: string, args?: string}} CallPiece */
/** @typedef {{name: string, description?: string, parameters?: unknown}} Tool */

/**
 * @typedef {object} RequestChange What a middleware changed in a request to the model; the first one has all of it.
 * @property {string} [model]
 * @property {string|Block[]} [system]
 * @property {Tool[]} [tools] those that are new or other than before
 * @property {string[]} [tool_names] all that are offered
 * @property {string} [tool_choice]
 * @property {Record<string, unknown>} [settings]
 * @property {({from: number, to: number}|{message: Message})[]} [messages] parts of the messages before, and new ones
 */

/**
 * @typedef {object} Event See docs/events.md.
 * @property {string} type
 * @property {number} seq
 * @property {string} time
 * @property {string} run
 * @property {string} [agent]
 * @property {string} [step]
 * @property {number} [index]
 * @property {string} [message]
 * @property {CallPiece} [call_piece]
 * @property {ToolCall} [call]
 * @property {string} [model]
 * @property {Message[]} [messages]
 * @property {Message[]} [patch]
 * @property {string[]} [remove]
 * @property {boolean} [reset]
 * @property {Record<string, unknown>} [state]
 * @property {string[]} [unset]
 * @property {Update} [update]
 * @property {RequestChange} [request]
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {string} [name]
 * @property {any} [data]
 * @property {Interrupt[]} [interrupts]
 * @property {Record<string, unknown>} [answers]
 * @property {Record<string, unknown>} [metadata]
 * @property {EventError} [error]
 * @property {string} [status]
 * @property {string} [next]
 * @property {number} [checkpoint]
 * @property {number} [parent]
 * @property {string} [source]
 * @property {number} [duration]
 * @property {number} [first_token]
 * @property {number} [fuel]
 * @property {number} [memory]
 * @property {number} [host_calls]
 * @property {string} [digest]
 * @property {number} [instance]
 */

/** @typedef {{id: string, run_id: string, attempt: number, event: Event}} Row An event with its place in the thread. */

/** @typedef {{messages: Message[], fields: Record<string, unknown>}} State */

/**
 * @typedef {object} Writer A step or hook that wrote something between two checkpoints.
 * @property {string} step
 * @property {string[]} fields
 * @property {string[]} messages their ids
 * @property {string} [jump]
 */

/**
 * @typedef {object} Checkpoint
 * @property {number} id
 * @property {number} parent 0: the empty thread
 * @property {string} source
 * @property {string} step
 * @property {string} next
 * @property {string} time
 * @property {string} run_id
 * @property {Event[]} changes what turned the parent's state into this one
 * @property {Writer[]} writers
 * @property {State} [state] where it is known as a whole
 * @property {boolean} [guessed] the state lacks what was there before the events
 */

/**
 * @typedef {object} Span Something that took time.
 * @property {'run'|'wait'|'step'|'hook'|'model'|'tool'|'save'|'note'} kind
 * @property {string} name
 * @property {number} start milliseconds since 1970
 * @property {number} end 0: it is under way
 * @property {number} own milliseconds without those of the spans within it
 * @property {number} depth
 * @property {string} run_id
 * @property {Event} event
 * @property {string} [detail]
 * @property {string} [call] the id of the tool call that it belongs to
 * @property {string} [agent] the agent that runs as this tool and did it
 * @property {number} [attempt] of a run that was cut and went on; absent: the first
 * @property {{start: number, end: number}[]} [inside] what it waited for
 * @property {boolean} [failed]
 * @property {boolean} [passed] its error is that of something within it
 */

/**
 * @typedef {object} Call A tool call that has begun.
 * @property {string} id
 * @property {string} name
 * @property {'running'|'done'|'failed'|'asks'} status
 * @property {Record<string, unknown>} args those with which it ran
 * @property {number} start
 * @property {number} end
 * @property {string} [error]
 * @property {Message[]} [messages]
 * @property {string} [said] what an agent that runs as this tool has said so far
 */

/**
 * @typedef {object} Live The answer that is being written.
 * @property {string} message
 * @property {number} index
 * @property {string} text
 * @property {string} reasoning
 * @property {{id: string, name: string, args: string}[]} calls
 */

/**
 * @typedef {object} Run A run as the server counts them.
 * @property {string} id
 * @property {string} agent
 * @property {number} start
 * @property {number} end 0: it is not over
 * @property {string} status
 * @property {EventError} [error]
 * @property {Interrupt[]} interrupts
 * @property {number} attempt
 * @property {string} step the one that is performed
 * @property {Span} span
 */

/**
 * @typedef {object} Request A call of a model.
 * @property {string} run_id
 * @property {number} step
 * @property {string} model
 * @property {string} time
 * @property {Message[]} before the messages of the state
 * @property {{step: string, change: RequestChange}[]} layers the first has what the agent asks, the others what a hook made of it
 * @property {Event} [answer]
 */

/**
 * @typedef {object} Part What one middleware did.
 * @property {string} name
 * @property {string} digest
 * @property {number[]} fuel of each call
 * @property {number} memory the most, in bytes
 * @property {number} hostCalls the most in one call
 * @property {number} calls
 * @property {number} own milliseconds
 * @property {{step: string, error: EventError, time: string}[]} faults and errors that it reported
 * @property {Set<number>} instances
 * @property {Map<string, {calls: number, own: number, fuel: number}>} hooks
 */

/**
 * @typedef {object} Model What is known of a thread.
 * @property {Row[]} rows
 * @property {State} now
 * @property {boolean} owned whether now.messages may be changed in place
 * @property {number} head the checkpoint that now follows; 0: none
 * @property {Event[]} pending what changed since
 * @property {Writer[]} writers
 * @property {Map<number, Checkpoint>} checkpoints
 * @property {Map<string, Run>} runs in their order
 * @property {Run|null} run the last one
 * @property {Live|null} live
 * @property {Map<string, Call>} calls
 * @property {Span[]} spans in the order of their beginnings
 * @property {Span|null} step
 * @property {Span[]} open spans of the present step that a wrap hook may contain
 * @property {number} spanFrom where the spans of the present step begin
 * @property {Request[]} requests
 * @property {{step: string, change: RequestChange}[]} asked layers of the request that is being made
 * @property {RequestChange|null} base what the agent asks, without its middleware
 * @property {Map<string, Part>} parts
 * @property {Map<string, number>} visits how often each step began
 * @property {Row[]} notices warnings and alerts
 */

export {};
