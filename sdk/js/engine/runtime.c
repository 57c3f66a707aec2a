// QuickJS-ng in one translation unit with what its API does not offer. The sources in quickjs/ are unchanged.

#include "quickjs/quickjs.c"

#include "runtime.h"

// How much an exception, its stack and its text may take, in bytes.
enum { RESERVE = 96 << 10 };

static void *reserve;

void runtime_refill(void) {
    if (!reserve) reserve = malloc(RESERVE);
}

// Gives up the reserve if an allocation has failed.
static void *kept(void *allocated, size_t size) {
    if (!allocated && size > 0) {
        free(reserve);
        reserve = NULL;
    }
    return allocated;
}

static void *reserving_calloc(void *opaque, size_t count, size_t size) { return kept(js_def_calloc(opaque, count, size), count * size); }
static void *reserving_malloc(void *opaque, size_t size) { return kept(js_def_malloc(opaque, size), size); }
static void *reserving_realloc(void *opaque, void *ptr, size_t size) { return kept(js_def_realloc(opaque, ptr, size), size); }

JSRuntime *runtime_new(void) {
    static const JSMallocFunctions functions = {
        reserving_calloc, reserving_malloc, js_def_free, reserving_realloc, js__malloc_usable_size,
    };
    runtime_refill();
    return JS_NewRuntime2(&functions, NULL);
}

void runtime_limit_stack(JSRuntime *rt, uintptr_t lowest) { rt->stack_limit = lowest; }

void runtime_forbid_eval(JSContext *ctx) { ctx->eval_internal = NULL; }

void runtime_seed(JSContext *ctx, uint64_t seed) { ctx->random_state = seed ? seed : 1; }

bool runtime_plain(JSContext *ctx, JSValueConst value) { return JS_GetClassID(value) == JS_CLASS_OBJECT; }

void runtime_drop_jobs(JSRuntime *rt) {
    while (!list_empty(&rt->job_list)) {
        JSJobEntry *e = list_entry(rt->job_list.next, JSJobEntry, link);
        list_del(&e->link);
        for (int i = 0; i < e->argc; i++) JS_FreeValueRT(rt, e->argv[i]);
        js_free_rt(rt, e);
    }
}
