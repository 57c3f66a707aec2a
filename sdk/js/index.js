// What a plugin imports when it runs outside of agenthost, such as in a unit test of a function beside its hooks. Inside, the engine
// has a module of the same name and checks what it is given.

/** An error with a type for programs. Other middleware can retry or answer it. */
export class HookError extends Error {
	constructor(type, message, { data, retryable } = {}) {
		super(message)
		this.name = "HookError"
		this.type = type
		this.data = data
		this.retryable = retryable
	}
}

/** Returns the definition of a plugin as it is. */
export const plugin = (definition) => definition

/** Returns a tool as an object. */
export const tool = (run, spec) => Object.freeze({ run, spec })
