// Decoding documents of the host: msgpack to JavaScript's values.

#include "wire.h"

#include <string.h>

// The host's own documents may nest deeper than 64, because they contain values of guests.
enum { MOST_DECODED = 160 };

typedef struct {
    JSContext *ctx;
    const uint8_t *at, *end;
    int depth;
} Decoder;

static JSValue decode(Decoder *d);

static JSValue malformed(Decoder *d, const char *why) { return JS_ThrowTypeError(d->ctx, "malformed document: %s", why); }

// Reads a big-endian number of n bytes; the caller has checked that they are there.
static uint64_t number(Decoder *d, int n) {
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | *d->at++;
    return v;
}

// Reads a length of n bytes, and checks that the document has as many bytes left.
static int64_t length(Decoder *d, int n) {
    if (d->end - d->at < n) return -1;
    uint64_t v = number(d, n);
    return v > (uint64_t)(d->end - d->at) ? -1 : (int64_t)v;
}

static JSValue text(Decoder *d, int64_t n) {
    if (n < 0 || n > d->end - d->at) return malformed(d, "a text is cut");
    const char *s = (const char *)d->at;
    d->at += n;
    return JS_NewStringLen(d->ctx, s, n);
}

static JSValue binary(Decoder *d, int64_t n) {
    if (n < 0) return malformed(d, "bytes are cut");
    const uint8_t *s = d->at;
    d->at += n;
    return JS_NewUint8ArrayCopy(d->ctx, s, n);
}

static JSValue large(Decoder *d, uint64_t v) {
    if (v <= 0x1fffffffffffffULL) return JS_NewInt64(d->ctx, (int64_t)v);
    return JS_NewBigUint64(d->ctx, v);
}

static JSValue negative(Decoder *d, int64_t v) {
    if (v >= -0x1fffffffffffffLL && v <= 0x1fffffffffffffLL) return JS_NewInt64(d->ctx, v);
    return JS_NewBigInt64(d->ctx, v);
}

static JSValue array(Decoder *d, int64_t n) {
    if (n < 0 || n > d->end - d->at) return malformed(d, "an array is cut");
    if (++d->depth > MOST_DECODED) return malformed(d, "it nests too deeply");
    JSValue a = JS_NewArray(d->ctx);
    if (JS_IsException(a)) return a;
    for (int64_t i = 0; i < n; i++) {
        JSValue v = decode(d);
        if (JS_IsException(v) || JS_DefinePropertyValueUint32(d->ctx, a, (uint32_t)i, v, JS_PROP_C_W_E) < 0) goto fail;
    }
    d->depth--;
    if (JS_FreezeObject(d->ctx, a) < 0) goto fail;
    return a;
fail:
    JS_FreeValue(d->ctx, a);
    return JS_EXCEPTION;
}

static JSAtom key(Decoder *d) {
    int64_t n = -1;
    if (d->at < d->end) {
        uint8_t b = *d->at++;
        if (b >= 0xa0 && b <= 0xbf) n = b & 0x1f;
        else if (b >= 0xd9 && b <= 0xdb) n = length(d, 1 << (b - 0xd9));
    }
    if (n < 0 || n > d->end - d->at) {
        malformed(d, "a key is not text");
        return JS_ATOM_NULL;
    }
    const char *s = (const char *)d->at;
    d->at += n;
    return JS_NewAtomLen(d->ctx, s, n);
}

static JSValue map(Decoder *d, int64_t n) {
    if (n < 0 || 2 * n > d->end - d->at) return malformed(d, "a map is cut");
    if (++d->depth > MOST_DECODED) return malformed(d, "it nests too deeply");
    JSValue o = JS_NewObject(d->ctx);
    if (JS_IsException(o)) return o;
    for (int64_t i = 0; i < n; i++) {
        JSAtom k = key(d);
        if (k == JS_ATOM_NULL) goto fail;
        JSValue v = decode(d);
        // Defining does not call setters, so the key __proto__ is one like any other.
        int done = JS_IsException(v) ? -1 : JS_DefinePropertyValue(d->ctx, o, k, v, JS_PROP_ENUMERABLE | JS_PROP_THROW);
        JS_FreeAtom(d->ctx, k);
        if (done < 0) goto fail;
    }
    d->depth--;
    if (JS_PreventExtensions(d->ctx, o) < 0) goto fail;
    return o;
fail:
    JS_FreeValue(d->ctx, o);
    return JS_EXCEPTION;
}

static JSValue decode(Decoder *d) {
    JSContext *ctx = d->ctx;
    if (d->at >= d->end) return malformed(d, "it is cut");
    uint8_t b = *d->at++;
    if (b < 0x80) return JS_NewInt32(ctx, b);
    if (b >= 0xe0) return JS_NewInt32(ctx, (int8_t)b);
    if (b < 0x90) return map(d, b & 0x0f);
    if (b < 0xa0) return array(d, b & 0x0f);
    if (b < 0xc0) return text(d, b & 0x1f);
    switch (b) {
    case 0xc0: return JS_NULL;
    case 0xc2: return JS_FALSE;
    case 0xc3: return JS_TRUE;
    case 0xc4: case 0xc5: case 0xc6: return binary(d, length(d, 1 << (b - 0xc4)));
    case 0xd9: case 0xda: case 0xdb: return text(d, length(d, 1 << (b - 0xd9)));
    case 0xdc: case 0xdd: return array(d, length(d, 2 << (b - 0xdc)));
    case 0xde: case 0xdf: return map(d, length(d, 2 << (b - 0xde)));
    }
    int n = b == 0xca || b == 0xcb ? 4 << (b - 0xca) : b >= 0xcc && b <= 0xcf ? 1 << (b - 0xcc) : b >= 0xd0 && b <= 0xd3 ? 1 << (b - 0xd0) : 0;
    if (n == 0) return malformed(d, "a type is unknown");
    if (d->end - d->at < n) return malformed(d, "a number is cut");
    uint64_t v = number(d, n);
    if (b == 0xca) {
        uint32_t bits = (uint32_t)v;
        float f;
        memcpy(&f, &bits, sizeof f);
        return JS_NewFloat64(ctx, f);
    }
    if (b == 0xcb) {
        double f;
        memcpy(&f, &v, sizeof f);
        return JS_NewFloat64(ctx, f);
    }
    if (b <= 0xcf) return large(d, v);
    int unused = 64 - 8 * n;
    return negative(d, (int64_t)(v << unused) >> unused);
}

JSValue wire_decode(JSContext *ctx, const uint8_t *bytes, size_t size) {
    Decoder d = {ctx, bytes, bytes + size, 0};
    JSValue v = decode(&d);
    if (!JS_IsException(v) && d.at != d.end) {
        JS_FreeValue(ctx, v);
        return malformed(&d, "there are bytes after it");
    }
    return v;
}
