// Encoding documents for the host: JavaScript's values to msgpack.

#include "runtime.h"
#include "wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place Place;

// Where in the document a value is, for messages.
struct Place {
    const Place *in;
    JSAtom key; // JS_ATOM_NULL: an element
    uint32_t index;
};

typedef struct {
    JSContext *ctx;
    Document *out;
    int depth;
    uint32_t values;
} Encoder;

static int encode(Encoder *e, JSValueConst value, const Place *place);

// Throws a TypeError with the place of a value, such as "messages[0].content".
static int refuse(Encoder *e, const Place *place, const char *why) {
    char path[256];
    size_t at = sizeof path - 1;
    path[at] = 0;
    for (; place && at > 80; place = place->in) {
        char part[80];
        if (place->key == JS_ATOM_NULL) {
            snprintf(part, sizeof part, "[%u]", (unsigned)place->index);
        } else {
            const char *key = JS_AtomToCString(e->ctx, place->key);
            snprintf(part, sizeof part, "%s%.70s", place->in ? "." : "", key ? key : "?");
            JS_FreeCString(e->ctx, key);
        }
        size_t n = strlen(part);
        at -= n;
        memcpy(path + at, part, n);
    }
    JS_ThrowTypeError(e->ctx, "%s%s%s", path + at, path[at] ? " " : "the result ", why);
    return -1;
}

static int reserve(Encoder *e, size_t n, const Place *place) {
    Document *o = e->out;
    if (n > MOST_BYTES || o->length + n > MOST_BYTES) return refuse(e, place, "makes the document larger than 1 MiB");
    if (o->length + n <= o->room) return 0;
    size_t room = o->room * 2 > o->length + n ? o->room * 2 : o->length + n + 1024;
    uint8_t *bytes = realloc(o->bytes, room);
    if (!bytes) {
        JS_ThrowOutOfMemory(e->ctx);
        return -1;
    }
    o->bytes = bytes, o->room = room;
    return 0;
}

// Appends a first byte and a big-endian number of n bytes.
static int head(Encoder *e, const Place *place, uint8_t first, uint64_t number, int n) {
    if (reserve(e, 1 + n, place) < 0) return -1;
    uint8_t *at = e->out->bytes + e->out->length;
    *at++ = first;
    for (int i = n - 1; i >= 0; i--) *at++ = (uint8_t)(number >> (8 * i));
    e->out->length += 1 + n;
    return 0;
}

static int count(Encoder *e, const Place *place, uint8_t fix, uint32_t most, uint8_t first16, uint32_t n) {
    if (n <= most) return head(e, place, fix | (uint8_t)n, 0, 0);
    if (n <= 0xffff) return head(e, place, first16, n, 2);
    return head(e, place, first16 + 1, n, 4);
}

static int append(Encoder *e, const Place *place, const void *bytes, size_t n) {
    if (reserve(e, n, place) < 0) return -1;
    if (n) memcpy(e->out->bytes + e->out->length, bytes, n);
    e->out->length += n;
    return 0;
}

// Appends UTF-8. QuickJS writes half of a surrogate pair as three bytes that no UTF-8 has; U+FFFD takes their place.
static int text(Encoder *e, const Place *place, const char *s, size_t n, bool is_key) {
    int failed = n <= 31 ? head(e, place, 0xa0 | (uint8_t)n, 0, 0)
        : n <= 0xff ? head(e, place, 0xd9, n, 1) : n <= 0xffff ? head(e, place, 0xda, n, 2) : head(e, place, 0xdb, n, 4);
    if (failed < 0 || append(e, place, s, n) < 0) return -1;
    uint8_t *at = e->out->bytes + e->out->length - n, *end = at + n;
    while ((at = memchr(at, 0xed, end - at)) && end - at >= 3) {
        if (at[1] >= 0xa0 && is_key) return refuse(e, place, "has a key with half of a surrogate pair");
        if (at[1] >= 0xa0) memcpy(at, "\xef\xbf\xbd", 3);
        at += 3;
    }
    return 0;
}

static int integer(Encoder *e, const Place *place, int64_t v) {
    if (v >= 0) {
        return v < 0x80 ? head(e, place, (uint8_t)v, 0, 0) : v <= 0xff ? head(e, place, 0xcc, v, 1)
            : v <= 0xffff ? head(e, place, 0xcd, v, 2) : v <= 0xffffffff ? head(e, place, 0xce, v, 4) : head(e, place, 0xcf, v, 8);
    }
    return v >= -32 ? head(e, place, (uint8_t)v, 0, 0) : v >= INT8_MIN ? head(e, place, 0xd0, v, 1)
        : v >= INT16_MIN ? head(e, place, 0xd1, v, 2) : v >= INT32_MIN ? head(e, place, 0xd2, v, 4) : head(e, place, 0xd3, v, 8);
}

static int number(Encoder *e, const Place *place, double v) {
    if (!isfinite(v)) return refuse(e, place, "is not a finite number");
    if (v == trunc(v) && fabs(v) <= 9007199254740991.0 && !(v == 0 && signbit(v))) return integer(e, place, (int64_t)v);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return head(e, place, 0xcb, bits, 8);
}

static int bigint(Encoder *e, const Place *place, JSValueConst value) {
    size_t n;
    const char *s = JS_ToCStringLen(e->ctx, &n, value);
    if (!s) return -1;
    char *end = NULL;
    int failed;
    if (s[0] == '-') {
        failed = n > 20 || strtoull(s + 1, &end, 10) > 1ULL << 63;
        if (!failed) failed = integer(e, place, (int64_t)(0 - strtoull(s + 1, NULL, 10))) < 0 ? -1 : 0;
    } else {
        // 2^64 has 20 digits, and so have some larger numbers.
        uint64_t v = 0;
        failed = n > 20;
        for (size_t i = 0; !failed && i < n; i++) {
            failed = __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v);
        }
        if (!failed) failed = v <= INT64_MAX ? integer(e, place, (int64_t)v) : head(e, place, 0xcf, v, 8);
    }
    JS_FreeCString(e->ctx, s);
    return failed > 0 ? refuse(e, place, "is an integer of more than 64 bits") : failed;
}

static int elements(Encoder *e, JSValueConst value, const Place *in) {
    int64_t n;
    if (JS_GetLength(e->ctx, value, &n) < 0) return -1;
    if (n > MOST_VALUES) return refuse(e, in, "has too many values");
    if (count(e, in, 0x90, 15, 0xdc, (uint32_t)n) < 0) return -1;
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        Place place = {in, JS_ATOM_NULL, i};
        JSValue v = JS_GetPropertyUint32(e->ctx, value, i);
        int failed = JS_IsException(v) ? -1 : JS_IsUndefined(v) ? refuse(e, &place, "is undefined; use null") : encode(e, v, &place);
        JS_FreeValue(e->ctx, v);
        if (failed < 0) return -1;
    }
    return 0;
}

// A key of an object and its text.
typedef struct {
    JSAtom atom;
    size_t length;
    const char *text;
} Key;

static int compare_keys(const void *a, const void *b) {
    const Key *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// Writes keys in the order of the canonical form, whatever the order in which the script made them.
static int properties(Encoder *e, JSValueConst value, const Place *in) {
    JSPropertyEnum *names;
    uint32_t n, kept = 0, known = 0;
    if (JS_GetOwnPropertyNames(e->ctx, &names, &n, value, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) return -1;
    size_t start = e->out->length;
    // The count is known when the values were read: a getter may return undefined. So the head has a fixed size.
    int failed = n <= 15 ? head(e, in, 0x80, 0, 0) : head(e, in, 0xdf, 0, 4);
    Key few[16], *keys = n <= 16 ? few : js_malloc(e->ctx, n * sizeof *keys);
    if (!keys) failed = -1;
    for (; known < n && !failed; known++) {
        Key *k = &keys[known];
        k->atom = names[known].atom;
        if (!(k->text = JS_AtomToCStringLen(e->ctx, &k->length, k->atom))) break;
    }
    if (known < n) failed = -1;
    if (!failed) qsort(keys, n, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < n && !failed; i++) {
        Place place = {in, keys[i].atom, 0};
        JSValue v = JS_GetProperty(e->ctx, value, keys[i].atom);
        if (JS_IsException(v)) {
            failed = -1;
        } else if (!JS_IsUndefined(v)) {
            failed = text(e, &place, keys[i].text, keys[i].length, true);
            if (!failed) failed = encode(e, v, &place);
            kept++;
        }
        JS_FreeValue(e->ctx, v);
    }
    for (uint32_t i = 0; i < known; i++) JS_FreeCString(e->ctx, keys[i].text);
    if (keys != few) js_free(e->ctx, keys);
    JS_FreePropertyEnum(e->ctx, names, n);
    if (failed) return -1;
    uint8_t *at = e->out->bytes + start;
    if (n <= 15) at[0] = 0x80 | (uint8_t)kept;
    else for (int i = 0; i < 4; i++) at[1 + i] = (uint8_t)(kept >> (8 * (3 - i)));
    return 0;
}

static int object(Encoder *e, JSValueConst value, const Place *place) {
    size_t n;
    uint8_t *bytes = JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8 ? JS_GetUint8Array(e->ctx, &n, value) : NULL;
    if (bytes) {
        int failed = n <= 0xff ? head(e, place, 0xc4, n, 1) : n <= 0xffff ? head(e, place, 0xc5, n, 2) : head(e, place, 0xc6, n, 4);
        return failed < 0 ? -1 : append(e, place, bytes, n);
    }
    bool list = JS_IsArray(value);
    if (JS_IsFunction(e->ctx, value)) return refuse(e, place, "is a function");
    if (!list && !runtime_plain(e->ctx, value)) {
        return refuse(e, place, "is neither a plain object, an array nor a Uint8Array, such as a Map, a Date or a promise that nobody awaited");
    }
    if (e->depth == MOST_DEPTH) return refuse(e, place, "nests more than 64 arrays and objects, or contains itself");
    e->depth++;
    int failed = list ? elements(e, value, place) : properties(e, value, place);
    e->depth--;
    return failed;
}

static int encode(Encoder *e, JSValueConst value, const Place *place) {
    if (++e->values > MOST_VALUES) return refuse(e, place, "makes the document have more than 131,072 values");
    if (JS_IsNull(value)) return head(e, place, 0xc0, 0, 0);
    if (JS_IsBool(value)) return head(e, place, JS_VALUE_GET_BOOL(value) ? 0xc3 : 0xc2, 0, 0);
    if (JS_IsNumber(value)) {
        double v;
        return JS_ToFloat64(e->ctx, &v, value) < 0 ? -1 : number(e, place, v);
    }
    if (JS_IsBigInt(value)) return bigint(e, place, value);
    if (JS_IsString(value)) {
        size_t n;
        const char *s = JS_ToCStringLen(e->ctx, &n, value);
        int failed = s ? text(e, place, s, n, false) : -1;
        JS_FreeCString(e->ctx, s);
        return failed;
    }
    if (JS_IsObject(value)) return object(e, value, place);
    return refuse(e, place, "is a symbol or undefined");
}

int wire_encode(JSContext *ctx, Document *out, JSValueConst value) {
    Encoder e = {ctx, out, 0, 0};
    out->length = 0;
    return encode(&e, value, NULL);
}
