// QuickJS-ng in one translation unit with what its API does not offer. The sources in quickjs/ are unchanged.

#include "quickjs/quickjs.c"

#include "runtime.h"

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
