#pragma once

#include "quickjs/quickjs.h"

// Makes a runtime that keeps a reserve of memory: when there is no more, the reserve is given up, so that an exception can be made of it and shown.
JSRuntime *runtime_new(void);

// Takes the reserve again, if it was given up and there is memory.
void runtime_refill(void);

// Throws a RangeError of JavaScript when the stack pointer sinks below an address. QuickJS has no such check under WASI.
void runtime_limit_stack(JSRuntime *rt, uintptr_t lowest);

// Makes eval, Function and dynamic code throw from now on.
void runtime_forbid_eval(JSContext *ctx);

// Seeds Math.random.
void runtime_seed(JSContext *ctx, uint64_t seed);

// Reports whether a value is an object without internal data, so neither a Map, a Date, a Promise nor a Proxy.
bool runtime_plain(JSContext *ctx, JSValueConst value);

// Drops the promise jobs that have not run.
void runtime_drop_jobs(JSRuntime *rt);
