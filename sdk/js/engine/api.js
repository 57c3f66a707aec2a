// The module "agenthost" that scripts import. The engine evaluates this file first and calls the function with its native
// functions: next, call, log, encode and decode. It returns what scripts can import, and what the engine calls itself.
(native) => {
    const hookNames = {
        beforeAgent: "before_agent", beforeModel: "before_model", wrapModelCall: "wrap_model_call",
        afterModel: "after_model", wrapToolCall: "wrap_tool_call", afterAgent: "after_agent",
    };
    // What the host refuses, by status. The other SDKs use the same texts.
    const refusals = {
        "-1": ["EINVAL", "the call makes no sense here"],
        "-2": ["ENOENT", "there is no such operation, model, tool or key"],
        "-3": ["ETOOBIG", "the reply is larger than the limit; what was called has run"],
        "-4": ["EDENIED", "it is not granted, or not declared"],
        "-5": ["ENOTSUP", "it is not available in this hook or host"],
        "-6": ["EBUSY", "nothing is free to run it"],
        "-7": ["ELIMIT", "a limit or quota is used up"],
        "-8": ["ECONFLICT", "the entry has another version: read it again"],
    };
    const FAILED = -20, INTERRUPTED = -21, CANCELLED = -22;

    // The keys of what scripts write. In scripts they are in camel case; keys inside of messages are those of the ABI.
    const updateKeys = ["messages", "overwrite", "patch", "remove", "state"];
    const hookKeys = ["canJumpTo", "hook", "messages", "passesTokens", "reads", "tools", "writes"];
    const requestKeys = [
        "addTools", "appendSystem", "messages", "model", "overwrite", "patch", "remove", "settings", "system", "toolChoice", "tools",
    ];
    const callKeys = ["args", "name", "setArgs", "tool"];
    const responseKeys = ["messages", "model", "stopReason", "structured"];
    const toolKeys = ["description", "dynamic", "extras", "idempotent", "name", "parameters", "returnDirect"];
    const fieldKeys = ["hideInput", "hideOutput", "lifetime", "reducer", "schema"];
    const pluginKeys = [
        "capabilities", "configSchema", "configure", "context", "fields", "guards", "name", "tools", "version", ...Object.keys(hookNames),
    ];

    // An error with a type for programs. Other middleware can retry or answer it.
    class HookError extends Error {
        constructor(type, message, { data, retryable } = {}) {
            super(message);
            this.name = "HookError";
            this.type = type;
            this.data = data;
            this.retryable = retryable;
        }
    }

    // Thrown to leave a hook: a question has no answer yet, or the frame is closed.
    class Leave extends Error {
        constructor(why) {
            super(why);
            this.name = "Leave";
        }
    }

    const snake = (key) => key.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase());

    // Checks the keys of an object and returns it with the ABI's keys.
    function document(value, keys, what) {
        if (value === null || typeof value !== "object" || Array.isArray(value)) {
            throw new TypeError(`${what} must be an object with some of the keys ${keys.join(", ")}`);
        }
        const out = {};
        for (const key of Object.keys(value)) {
            if (!keys.includes(key)) {
                throw new TypeError(`${what} has the unknown key ${JSON.stringify(key)}; it may have ${keys.join(", ")}`);
            }
            out[snake(key)] = value[key];
        }
        return out;
    }

    class Plugin {
        #definition;

        constructor(definition) {
            document(definition, pluginKeys, "plugin()");
            this.#definition = definition;
            Object.freeze(this);
        }

        static definition(value) {
            if (typeof value !== "object" || value === null || !(#definition in value)) {
                throw new TypeError('the script must say "export default plugin({ name, version, ... })"');
            }
            return value.#definition;
        }
    }

    class Tool {
        constructor(run, spec) {
            if (typeof run !== "function") throw new TypeError("tool(run, spec): run must be a function");
            const { schema, ...rest } = spec ?? {};
            this.run = run;
            this.spec = document(schema === undefined ? rest : { ...rest, parameters: schema }, toolKeys, `tool ${JSON.stringify(spec?.name)}`);
            Object.freeze(this);
        }
    }

    let definition, hooks, tools, config = Object.freeze({});

    // Takes the script's default export.
    function load(value) {
        definition = Plugin.definition(value);
        hooks = {};
        for (const name of Object.keys(hookNames)) {
            const given = definition[name];
            if (given === undefined) continue;
            const spec = typeof given === "function" ? { hook: given } : given;
            document(spec, hookKeys, name);
            if (typeof spec.hook !== "function") throw new TypeError(`${name} must be a function, or an object with the key hook`);
            hooks[hookNames[name]] = { name, ...spec };
        }
        tools = new Map((definition.tools ?? []).map((t) => {
            if (!(t instanceof Tool)) throw new TypeError("tools must be made by tool(run, spec)");
            return [t.spec.name, t];
        }));
    }

    function describe() {
        const own = Object.keys(definition.fields ?? {});
        const specs = {};
        for (const [hook, { name, hook: _, reads = own, ...rest }] of Object.entries(hooks)) {
            specs[hook] = { ...document(rest, hookKeys, name), reads };
        }
        return {
            abi: 1, name: definition.name, version: definition.version, guards: definition.guards, config_schema: definition.configSchema,
            context: definition.context,
            hooks: specs,
            fields: own.map((name) => ({ lifetime: "run", ...document(definition.fields[name], fieldKeys, `field ${name}`), name })),
            tools: [...tools.values()].map((t) => t.spec),
            capabilities: Object.entries(definition.capabilities ?? {}).map(([op, reason]) =>
                typeof reason === "string" ? { op, reason } : { op, ...document(reason, ["reason", "required"], op) }),
        };
    }

    // Returns undefined, or a narrower Description.
    function configure(values) {
        config = values;
        return definition.configure?.(values, describe());
    }

    // The error for a status that is not ok.
    function refusal(frame, [status, reply]) {
        switch (status) {
        case FAILED:
            return new HookError(reply.type, reply.message, reply);
        case INTERRUPTED:
        case CANCELLED:
            frame.closed = true;
            return new Leave("an interrupt is pending, or the run is cancelled");
        default:
            return new HookError(...refusals[status] ?? [`E${-status}`, "the host refuses it"]);
        }
    }

    function operation(frame, op, payload) {
        const outcome = native.call(op, payload);
        if (outcome[0] !== 0) throw refusal(frame, outcome);
        return outcome[1];
    }

    const log = Object.freeze({
        debug: (...values) => native.log(0, line(values)),
        info: (...values) => native.log(1, line(values)),
        warn: (...values) => native.log(2, line(values)),
        error: (...values) => native.log(3, line(values)),
    });

    function line(values) {
        return values.map((v) => {
            if (typeof v === "string") return v;
            if (v instanceof Error) return `${v}\n${String(v.stack).replace(/[^\s()]+:\d+:\d+/g, original)}`;
            try {
                return JSON.stringify(v, (_, x) => typeof x === "bigint" ? String(x) : x) ?? String(v);
            } catch {
                return String(v);
            }
        }).join(" ");
    }

    // Entries of the plugin that outlive a hook.
    class Store {
        #frame;
        #scope;

        constructor(frame, scope) {
            this.#frame = frame;
            this.#scope = scope;
        }

        // Returns {value, version}, or undefined if there is no entry.
        get(key) {
            try {
                return operation(this.#frame, "kv.get", { key, scope: this.#scope });
            } catch (e) {
                if (e instanceof HookError && e.type === "ENOENT") return undefined;
                throw e;
            }
        }

        // Returns the entry's new version.
        put(key, value, { ifVersion } = {}) {
            return operation(this.#frame, "kv.put", { key, scope: this.#scope, value, if_version: ifVersion }).version;
        }

        delete(key, { ifVersion } = {}) {
            operation(this.#frame, "kv.delete", { key, scope: this.#scope, if_version: ifVersion });
        }

        // Returns {items, more}.
        list({ after, limit, prefix } = {}) {
            return operation(this.#frame, "kv.list", { scope: this.#scope, after, limit, prefix });
        }
    }

    class Response {
        constructor({ body = new Uint8Array(), headers, status, url }) {
            Object.assign(this, { body, headers, status, url, ok: status >= 200 && status < 300 });
            Object.freeze(this);
        }

        text() {
            return native.decode(this.body);
        }

        json() {
            return JSON.parse(this.text());
        }
    }

    // The document for http.fetch.
    function fetchRequest(url, { body, headers = {}, method, timeoutMs } = {}) {
        return {
            url, method, timeout_ms: timeoutMs, body: typeof body === "string" ? native.encode(body) : body,
            headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        };
    }

    const generateRequest = (request, what) => document(request, ["messages", "model", "settings", "system"], what);

    const maxBatch = 32;

    // Performs an operation for several documents at once, and returns {value} or {error} for each.
    function operations(frame, op, payloads, convert) {
        const outcomes = [];
        for (let at = 0; at < payloads.length; at += maxBatch) {
            const calls = payloads.slice(at, at + maxBatch).map((payload) => ({ op, payload }));
            for (const { status, reply } of operation(frame, "batch", { calls }).replies) {
                outcomes.push(status === 0 ? { value: convert(reply) } : { error: refusal(frame, [status, reply]) });
            }
        }
        return outcomes;
    }

    // What every hook and tool gets.
    class Context {
        #frame;

        constructor(frame, input) {
            this.#frame = frame;
            this.config = config;
            this.log = log;
            this.context = input.context ?? Object.freeze({});
            this.state = input.state ?? {};
            this.view = input.messages;
            this.messages = input.messages?.items ?? [];
            for (const key of ["call", "known", "large", "request", "run", "step", "thread", "n"]) this[key] = input[key];
            this.idempotencyKey = input.idempotency_key;
        }

        // The virtual time, as milliseconds since 1970.
        get now() {
            return Number(BigInt(this.#frame.input.now) / 1000000n);
        }

        // Asks the outside world. Returns the answer, or leaves the hook until there is one. The key tells several questions apart.
        interrupt(value, { key = "question" } = {}) {
            const { answers } = this.#frame.input;
            if (answers !== undefined && Object.hasOwn(answers, key)) return answers[key];
            if (!this.#frame.questions.some((q) => q.key === key)) this.#frame.questions.push({ key, value });
            throw new Leave("a question has no answer yet");
        }

        store(scope) {
            return new Store(this.#frame, scope);
        }

        fetch(url, options) {
            return new Response(operation(this.#frame, "http.fetch", fetchRequest(url, options)));
        }

        // Makes several requests at once: [{url, ...options}].
        fetchAll(requests) {
            const payloads = requests.map(({ url, ...options }) => fetchRequest(url, options));
            return operations(this.#frame, "http.fetch", payloads, (reply) => new Response(reply));
        }

        // Calls the granted model, without tools.
        generate(request) {
            return operation(this.#frame, "model.generate", generateRequest(request, "generate()"));
        }

        // Calls the granted model for several requests at once.
        generateAll(requests) {
            return operations(this.#frame, "model.generate", requests.map((r) => generateRequest(r, "generateAll()")), (reply) => reply);
        }

        runInfo() {
            return operation(this.#frame, "run.info");
        }

        // What the host knows about a configured model; without a name, about the request's or the agent's.
        modelInfo(model) {
            return operation(this.#frame, "model.info", { model });
        }

        countTokens(messages) {
            return operation(this.#frame, "tokens.count", { messages }).tokens;
        }

        // Waits, for real.
        sleep(ms) {
            operation(this.#frame, "clock.sleep", { duration_ms: Math.max(0, Math.round(ms)) });
        }

        // Runs a tool of the agent and returns its message.
        callTool(name, args = {}) {
            return operation(this.#frame, "tool.call", { name, args }).tool_message;
        }

        readFields(...fields) {
            return operation(this.#frame, "state.read", { fields }).state ?? {};
        }

        readMessages(from, count) {
            return operation(this.#frame, "state.read", { from: from || undefined, count }).items ?? [];
        }

        emit(name, data = null) {
            operation(this.#frame, "event.emit", { name, data });
        }

        budget() {
            return operation(this.#frame, "budget");
        }

        // The real time, as milliseconds since 1970.
        clockNow() {
            return Number(BigInt(operation(this.#frame, "clock.now").unix_ns) / 1000000n);
        }

        randomBytes(count) {
            return operation(this.#frame, "random.bytes", { count }).bytes;
        }
    }

    // What a wrap hook gets.
    class Call extends Context {
        #frame;

        constructor(frame, input) {
            super(frame, input);
            this.#frame = frame;
        }

        // The tools that a model request offers, with their descriptions and parameters.
        toolSpecs() {
            return operation(this.#frame, "tools.read").tools;
        }

        // Calls the inner layers. It returns their response or tool message, and throws if they failed.
        next(change) {
            const frame = this.#frame, model = frame.name === "wrap_model_call";
            const payload = change === undefined ? undefined : document(change, model ? requestKeys : callKeys, "next()");
            const outcome = native.next(payload);
            const [status, reply] = outcome;
            if (status === 0) {
                frame.failure = undefined;
                return frame.reply = model ? reply : reply.tool_message;
            }
            const error = refusal(frame, outcome);
            if (status === FAILED || status === -3) frame.reply = undefined;
            if (status === FAILED) frame.failure = error;
            throw error;
        }
    }

    // Converts what a node hook returned to a Result.
    function nodeResult(frame, value) {
        return document(value, [...updateKeys, "jumpTo"], `the result of ${frame.what}`);
    }

    // Converts what wrapModelCall returned.
    function modelResult(frame, value) {
        if (value === frame.reply) return undefined;
        if (typeof value === "string") return { response: { messages: [{ role: "ai", content: value }] } };
        if (value?.role === "ai") return { response: { messages: [value] } };
        const result = document(value, [...updateKeys, "response"], `the result of ${frame.what}`);
        if (result.response === frame.reply) delete result.response;
        if (result.response !== undefined) result.response = document(result.response, responseKeys, "response");
        return result;
    }

    // Converts what wrapToolCall or a tool returned.
    function toolResult(frame, value) {
        if (value === frame.reply && value !== undefined) return undefined;
        const isMessage = typeof value === "string" || value?.role === "tool" || (value !== null && typeof value === "object" && Object.hasOwn(value, "content"));
        const result = isMessage ? { tool_message: value } : document(value, [...updateKeys, "toolMessage"], `the result of ${frame.what}`);
        let message = result.tool_message;
        if (message === undefined) return result;
        if (message === frame.reply) delete result.tool_message;
        else if (typeof message === "string") result.tool_message = { content: message };
        else if (frame.reply === undefined) {
            const { id: _, ...rest } = message; // the host gives a new answer its id
            result.tool_message = rest;
        }
        return result;
    }

    // Where the lines of the script come from, see Script in plugin.go.
    let origin = {};

    // Shows a place of the script as one of the user's files.
    function original(place) {
        const [, file, line] = /^(.*):(\d+):\d+$/.exec(place) ?? [];
        const at = 2 * (line - 1), { lines, files } = origin;
        if (file !== origin.file || lines === undefined) return place;
        return lines[at + 1] > 0 ? `${files[lines[at]]}:${lines[at + 1]}` : file;
    }

    // The first place of a stack that is in the script.
    function place(stack) {
        for (const row of String(stack ?? "").split("\n")) {
            const found = /\(?([^\s()]+:\d+:\d+)\)?$/.exec(row);
            if (found && !found[1].startsWith("agenthost:") && !found[1].startsWith("native:")) return original(found[1]);
        }
        return "";
    }

    // Describes what a script threw. What it threw may be anything, such as a proxy that throws again.
    function errorOf(thrown) {
        try {
            if (thrown instanceof HookError) {
                return { type: String(thrown.type), message: String(thrown.message), data: thrown.data, retryable: thrown.retryable ? true : undefined };
            }
            const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `the script threw ${line([thrown])}`;
            const at = place(thrown?.stack);
            return { type: "error", message: at ? `${at}: ${text}` : text };
        } catch {
            return { type: "error", message: "the script threw a value that throws when it is read" };
        }
    }

    // The call that is served: its frame, and what converts the value of its hook.
    let frame, convert;

    // Runs a hook. Returns what the hook returned, which the engine waits for if it is a promise: the script can replace Promise's methods.
    function serve(name, input) {
        frame = { name, input, questions: [], what: name, reply: undefined, failure: undefined, closed: false };
        if (name === "call_tool") {
            const tool = tools.get(input.call.name);
            frame.what = `tool ${input.call.name}`;
            convert = toolResult;
            return tool.run(input.call.args, new Context(frame, input));
        }
        const { name: what, hook } = hooks[name];
        frame.what = what;
        convert = name === "wrap_model_call" ? modelResult : name === "wrap_tool_call" ? toolResult : nodeResult;
        return hook(name.startsWith("wrap_") ? new Call(frame, input) : new Context(frame, input));
    }

    // Converts what the hook returned to a Result.
    function finished(value) {
        if (frame.closed) return undefined;
        if (frame.questions.length > 0) return { interrupts: frame.questions }; // whatever swallowed the exception
        return value === undefined ? undefined : convert(frame, value);
    }

    // Converts what the script threw to a Result.
    function failed(thrown) {
        if (frame.closed) return undefined;
        if (frame.questions.length > 0) return { interrupts: frame.questions };
        if (thrown === frame.failure && thrown !== undefined) return undefined; // the host passes it on itself
        return { error: errorOf(thrown) };
    }

    globalThis.console = Object.freeze({ ...log, log: log.info });
    return {
        exports: { HookError, plugin: (definition) => new Plugin(definition), tool: (run, spec) => new Tool(run, spec) },
        load, describe, serve, finished, failed, place,
        begin: (script) => {
            origin = script;
        },
        configure: (values) => {
            try {
                return configure(values);
            } catch (e) {
                return { error: errorOf(e) };
            }
        },
    };
}
