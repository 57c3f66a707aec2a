// The engine: a guest of the ABI that runs a script. The host hands it the script as the input of _initialize.

#include "runtime.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("agenthost_v1"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

IMPORT(input_read) uint32_t input_read(void *buf, uint32_t cap);
IMPORT(result_write) int32_t result_write(const void *ptr, uint32_t len);
IMPORT(next) int64_t host_next(const void *ptr, uint32_t len);
IMPORT(host_call) int64_t host_call(const char *op, uint32_t oplen, const void *ptr, uint32_t len);
IMPORT(reply_read) uint32_t reply_read(void *buf, uint32_t cap);
IMPORT(log) void host_log(int32_t level, const char *ptr, uint32_t len);
__attribute__((import_module("wasi_snapshot_preview1"), import_name("random_get"))) int32_t random_get(void *buf, uint32_t len);

// api.js, written by the Makefile.
extern const char api_source[];
extern const size_t api_size;

// How often QuickJS may ask whether to go on in one call: it asks after 10,000 calls and loop iterations of the script.
// An empty loop ends here before it has used the default fuel of a call.
enum { MOST_POLLS = 400 };

// How many promise jobs one call may run. Jobs that are shorter than a poll would never end it.
enum { MOST_JOBS = 20000 };

// The part of the stack that C code may use below the last check of QuickJS, in bytes.
enum { STACK_RESERVE = 48 << 10 };

static JSRuntime *runtime;
static JSContext *ctx;
static JSValue begin_, load, describe_, configure_, serve, finished, failed, place, exports; // of api.js
static Document input, result, payload;
static int polls, jobs;

static int interrupted(JSRuntime *rt, void *opaque) { return ++polls > MOST_POLLS; }

static void begin(void) {
    uint64_t seed = 0;
    random_get(&seed, sizeof seed);
    runtime_seed(ctx, seed);
    polls = jobs = 0;
    runtime_refill();
}

// Writes a line of the level error and traps: the fault's text ends with that line.
static _Noreturn void fail(const char *text) {
    host_log(3, text, strlen(text));
    __builtin_trap();
}

static _Noreturn void out_of_memory(void) { fail("out of memory"); }

// Describes a thrown value in one text, and takes it. The text begins with the first place of the stack that is in the script.
static void describe_exception(char *text, size_t size) {
    JSValue thrown = JS_GetException(ctx);
    polls = 0; // what follows may run even if the script ran too long
    JSValue stack = JS_IsObject(thrown) ? JS_GetPropertyStr(ctx, thrown, "stack") : JS_UNDEFINED;
    JSValue found = JS_IsString(stack) && JS_IsFunction(ctx, place) ? JS_Call(ctx, place, JS_UNDEFINED, 1, (JSValueConst *)&stack) : JS_UNDEFINED;
    const char *at = JS_IsString(found) ? JS_ToCString(ctx, found) : NULL, *said = JS_ToCString(ctx, thrown);
    snprintf(text, size, "%s%s%s", at ? at : "", at && *at ? ": " : "", said ? said : "something that has no text was thrown");
    JS_FreeCString(ctx, at);
    JS_FreeCString(ctx, said);
    JS_FreeValue(ctx, found);
    JS_FreeValue(ctx, stack);
    JS_FreeValue(ctx, thrown);
    JSValue again = JS_GetException(ctx); // of a toString or a getter
    JS_FreeValue(ctx, again);
}

static _Noreturn void fail_with_exception(void) {
    char text[2048];
    describe_exception(text, sizeof text);
    fail(text);
}

// Makes room for a document of the host.
static uint8_t *room(Document *d, size_t n) {
    if (n > d->room) {
        free(d->bytes);
        d->room = n + n / 2;
        if (!(d->bytes = malloc(d->room))) {
            d->room = 0;
            return NULL;
        }
    }
    d->length = n;
    return d->bytes;
}

static JSValue read_input(size_t n) {
    if (!room(&input, n)) return JS_ThrowOutOfMemory(ctx);
    input_read(input.bytes, n);
    return wire_decode(ctx, input.bytes, n);
}

// Converts status<<32|length to [status, reply].
static JSValue outcome(int64_t packed) {
    int32_t status = (int32_t)(packed >> 32);
    uint32_t n = (uint32_t)packed;
    JSValue reply = JS_UNDEFINED;
    if (n > 0) {
        if (!room(&input, n)) return JS_ThrowOutOfMemory(ctx);
        reply_read(input.bytes, n);
        reply = wire_decode(ctx, input.bytes, n);
        if (JS_IsException(reply)) return reply;
    }
    JSValue pair = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, pair, 0, JS_NewInt32(ctx, status));
    JS_SetPropertyUint32(ctx, pair, 1, reply);
    return pair;
}

// Encodes an optional argument.
static int encode_argument(JSValueConst value) {
    payload.length = 0;
    return JS_IsUndefined(value) ? 0 : wire_encode(ctx, &payload, value);
}

static JSValue native_next(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    if (encode_argument(argv[0]) < 0) return JS_EXCEPTION;
    return outcome(host_next(payload.bytes, payload.length));
}

static JSValue native_call(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    if (encode_argument(argv[1]) < 0) return JS_EXCEPTION;
    size_t n;
    const char *op = JS_ToCStringLen(c, &n, argv[0]);
    if (!op) return JS_EXCEPTION;
    int64_t packed = host_call(op, n, payload.bytes, payload.length);
    JS_FreeCString(c, op);
    return outcome(packed);
}

static JSValue native_log(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    int32_t level;
    size_t n;
    if (JS_ToInt32(c, &level, argv[0]) < 0) return JS_EXCEPTION;
    const char *text = JS_ToCStringLen(c, &n, argv[1]);
    if (!text) return JS_EXCEPTION;
    host_log(level, text, n);
    JS_FreeCString(c, text);
    return JS_UNDEFINED;
}

static JSValue native_encode(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    size_t n;
    const char *text = JS_ToCStringLen(c, &n, argv[0]);
    if (!text) return JS_EXCEPTION;
    JSValue bytes = JS_NewUint8ArrayCopy(c, (const uint8_t *)text, n);
    JS_FreeCString(c, text);
    return bytes;
}

static JSValue native_decode(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    size_t n;
    uint8_t *bytes = JS_GetUint8Array(c, &n, argv[0]);
    return bytes || n == 0 ? JS_NewStringLen(c, (const char *)bytes, n) : JS_EXCEPTION;
}

static JSValue native_functions(void) {
    static const struct { const char *name; JSCFunction *function; int arguments; } all[] = {
        {"next", native_next, 1}, {"call", native_call, 2}, {"log", native_log, 2}, {"encode", native_encode, 1}, {"decode", native_decode, 1},
    };
    JSValue native = JS_NewObject(ctx);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        JS_SetPropertyStr(ctx, native, all[i].name, JS_NewCFunction(ctx, all[i].function, all[i].name, all[i].arguments));
    }
    return native;
}

// Runs promise jobs until there are none, or drops the rest of too many: the next call must not go on with them.
static void settle(void) {
    JSContext *of;
    while (JS_ExecutePendingJob(runtime, &of) != 0) {
        JSValue thrown = JS_GetException(ctx); // of a job that nothing waits for
        JS_FreeValue(ctx, thrown);
        if (polls > MOST_POLLS || ++jobs > MOST_JOBS) {
            runtime_drop_jobs(runtime);
            break;
        }
    }
}

// Waits for a promise and takes it. Any other value is returned as it is.
static JSValue await(JSValue value, const char *what) {
    bool threw = JS_IsException(value);
    if (threw) value = JS_GetException(ctx); // running jobs takes the exception that is there
    settle();
    if (threw) return JS_Throw(ctx, value);
    if (!JS_IsObject(value) || !JS_IsPromise(value)) return value;
    JSPromiseStateEnum state = JS_PromiseState(ctx, value);
    JSValue settled = state == JS_PROMISE_PENDING ? JS_UNDEFINED : JS_PromiseResult(ctx, value);
    JS_FreeValue(ctx, value);
    if (state == JS_PROMISE_PENDING) {
        const char *why = polls > MOST_POLLS || jobs > MOST_JOBS ? "runs too long" : "waits for a promise that nothing can settle";
        return JS_ThrowInternalError(ctx, "%s %s", what, why);
    }
    return state == JS_PROMISE_REJECTED ? JS_Throw(ctx, settled) : settled;
}

static int fill_module(JSContext *c, JSModuleDef *m) {
    JSPropertyEnum *names;
    uint32_t n;
    if (JS_GetOwnPropertyNames(c, &names, &n, exports, JS_GPN_STRING_MASK) < 0) return -1;
    int failed = 0;
    for (uint32_t i = 0; i < n && !failed; i++) {
        const char *name = JS_AtomToCString(c, names[i].atom);
        failed = !name || JS_SetModuleExport(c, m, name, JS_GetProperty(c, exports, names[i].atom)) < 0;
        JS_FreeCString(c, name);
    }
    JS_FreePropertyEnum(c, names, n);
    return failed ? -1 : 0;
}

// Makes the module "agenthost". There is no other, so the loader refuses what is not found.
static JSModuleDef *load_module(JSContext *c, const char *name, void *opaque) {
    if (strcmp(name, "agenthost") != 0) {
        JS_ThrowReferenceError(c, "there is no module \"%s\"; a script can import \"agenthost\"", name);
        return NULL;
    }
    JSModuleDef *m = JS_NewCModule(c, name, fill_module);
    JSPropertyEnum *names;
    uint32_t n;
    if (!m || JS_GetOwnPropertyNames(c, &names, &n, exports, JS_GPN_STRING_MASK) < 0) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const char *export = JS_AtomToCString(c, names[i].atom);
        if (export) JS_AddModuleExport(c, m, export);
        JS_FreeCString(c, export);
    }
    JS_FreePropertyEnum(c, names, n);
    return m;
}

static void start_api(void) {
    JSValue make = JS_Eval(ctx, api_source, api_size, "agenthost:api", JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
    if (JS_IsException(make)) fail_with_exception();
    JSValue native = native_functions();
    JSValue api = JS_Call(ctx, make, JS_UNDEFINED, 1, (JSValueConst *)&native);
    if (JS_IsException(api)) fail_with_exception();
    begin_ = JS_GetPropertyStr(ctx, api, "begin");
    place = JS_GetPropertyStr(ctx, api, "place");
    load = JS_GetPropertyStr(ctx, api, "load");
    describe_ = JS_GetPropertyStr(ctx, api, "describe");
    configure_ = JS_GetPropertyStr(ctx, api, "configure");
    serve = JS_GetPropertyStr(ctx, api, "serve");
    finished = JS_GetPropertyStr(ctx, api, "finished");
    failed = JS_GetPropertyStr(ctx, api, "failed");
    exports = JS_GetPropertyStr(ctx, api, "exports");
    JS_FreeValue(ctx, native);
    JS_FreeValue(ctx, make);
    JS_FreeValue(ctx, api);
}

// Evaluates the script as a module and takes its default export.
static void start_script(void) {
    size_t n = input_read(NULL, 0);
    if (n == 0) fail("this is an engine without a script: the module has no section agenthost.script");
    JSValue script = read_input(n);
    if (JS_IsException(script)) fail_with_exception();
    JSValue begun = JS_Call(ctx, begin_, JS_UNDEFINED, 1, (JSValueConst *)&script);
    if (JS_IsException(begun)) fail_with_exception();
    JSValue source = JS_GetPropertyStr(ctx, script, "source"), file = JS_GetPropertyStr(ctx, script, "file");
    if (!JS_IsString(source) || !JS_IsString(file)) fail("the section agenthost.script has no file or no source");
    size_t size;
    const char *text = JS_ToCStringLen(ctx, &size, source), *name = JS_ToCString(ctx, file);
    if (!text || !name) out_of_memory();
    JSValue compiled = JS_Eval(ctx, text, size, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(compiled)) fail_with_exception();
    JSModuleDef *module = JS_VALUE_GET_PTR(compiled);
    JSValue done = await(JS_EvalFunction(ctx, compiled), "the script");
    if (JS_IsException(done)) fail_with_exception();
    JS_FreeValue(ctx, done);
    JSValue names = JS_GetModuleNamespace(ctx, module);
    JSValue plugin = JS_GetPropertyStr(ctx, names, "default");
    JSValue loaded = JS_IsException(plugin) ? plugin : JS_Call(ctx, load, JS_UNDEFINED, 1, (JSValueConst *)&plugin);
    if (JS_IsException(loaded)) fail_with_exception();
    JS_FreeValue(ctx, loaded);
    JS_FreeValue(ctx, plugin);
    JS_FreeValue(ctx, names);
    JS_FreeCString(ctx, name);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, file);
    JS_FreeValue(ctx, source);
    JS_FreeValue(ctx, script);
}

// The start of an instance: _initialize calls it.
__attribute__((constructor)) static void start(void) {
    if (!(runtime = runtime_new()) || !(ctx = JS_NewContext(runtime))) out_of_memory();
    runtime_limit_stack(runtime, STACK_RESERVE);
    JS_SetInterruptHandler(runtime, interrupted, NULL);
    JS_SetModuleLoaderFunc(runtime, NULL, load_module, NULL);
    begin();
    start_api();
    start_script();
    runtime_forbid_eval(ctx);
}

// Writes a value as the result. A value that has no form in a document becomes the hook's error.
static int32_t write_result(JSValue value) {
    if (JS_IsUndefined(value)) return 0;
    int failed = JS_IsException(value) ? -1 : wire_encode(ctx, &result, value);
    JS_FreeValue(ctx, value);
    if (failed < 0) {
        char text[2048];
        describe_exception(text, sizeof text);
        JSValue error = JS_NewObject(ctx), document = JS_NewObject(ctx);
        JS_SetPropertyStr(ctx, error, "type", JS_NewString(ctx, "error"));
        JS_SetPropertyStr(ctx, error, "message", JS_NewString(ctx, text));
        JS_SetPropertyStr(ctx, document, "error", error);
        if (wire_encode(ctx, &result, document) < 0) fail(text);
        JS_FreeValue(ctx, document);
    }
    result_write(result.bytes, result.length);
    return 1;
}

// Converts what a hook returned or threw to a Result, and takes it. A conversion can run code of the script, which may throw as well.
static JSValue converted(JSValue value) {
    for (int attempts = 0; attempts < 2; attempts++) {
        bool threw = JS_IsException(value);
        if (threw) {
            value = JS_GetException(ctx);
            polls = 0; // what follows may run even if the script ran too long
        }
        JSValue result = JS_Call(ctx, threw ? failed : finished, JS_UNDEFINED, 1, (JSValueConst *)&value);
        JS_FreeValue(ctx, value);
        value = result;
        if (!JS_IsException(value)) break;
    }
    return value;
}

static int32_t hook(const char *name, uint32_t length) {
    begin();
    JSValue arguments[] = {JS_NewString(ctx, name), read_input(length)};
    JSValue value = JS_IsException(arguments[1]) ? JS_EXCEPTION : JS_Call(ctx, serve, JS_UNDEFINED, 2, (JSValueConst *)arguments);
    value = converted(await(value, name));
    JS_FreeValue(ctx, arguments[0]);
    JS_FreeValue(ctx, arguments[1]);
    return write_result(value);
}

EXPORT(agenthost_abi_v1) void agenthost_abi_v1(void) {}

// A Description cannot be an error, so one that cannot be written is a fault.
EXPORT(describe) int32_t describe(void) {
    begin();
    JSValue value = JS_Call(ctx, describe_, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(value) || wire_encode(ctx, &result, value) < 0) fail_with_exception();
    JS_FreeValue(ctx, value);
    result_write(result.bytes, result.length);
    return 1;
}

EXPORT(configure) int32_t configure(uint32_t length) {
    begin();
    JSValue config = read_input(length);
    JSValue value = JS_IsException(config) ? config : JS_Call(ctx, configure_, JS_UNDEFINED, 1, (JSValueConst *)&config);
    JS_FreeValue(ctx, config);
    return write_result(value);
}

EXPORT(before_agent) int32_t before_agent(uint32_t n) { return hook("before_agent", n); }
EXPORT(before_model) int32_t before_model(uint32_t n) { return hook("before_model", n); }
EXPORT(wrap_model_call) int32_t wrap_model_call(uint32_t n) { return hook("wrap_model_call", n); }
EXPORT(after_model) int32_t after_model(uint32_t n) { return hook("after_model", n); }
EXPORT(wrap_tool_call) int32_t wrap_tool_call(uint32_t n) { return hook("wrap_tool_call", n); }
EXPORT(after_agent) int32_t after_agent(uint32_t n) { return hook("after_agent", n); }
EXPORT(call_tool) int32_t call_tool(uint32_t n) { return hook("call_tool", n); }
