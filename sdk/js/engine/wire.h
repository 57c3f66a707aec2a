#pragma once

#include "quickjs/quickjs.h"

// A growing buffer for a document.
typedef struct {
    uint8_t *bytes;
    size_t length, room;
} Document;

// Limits of a document that a guest writes: SPEC.md, sections 1 and 14.
enum { MOST_DEPTH = 64, MOST_VALUES = 131072, MOST_BYTES = 1 << 20 };

// Decodes one document. Its objects and arrays are frozen: a change that the host would never see throws.
// Integers beyond 2^53 become BigInt, bin becomes Uint8Array. A malformed document throws.
JSValue wire_decode(JSContext *ctx, const uint8_t *bytes, size_t length);

// Appends a value to an empty document. Returns -1 and throws a TypeError that names the place of the value if
// it has no form in a document or goes beyond a limit. A key whose value is undefined is left out. Keys are sorted.
int wire_encode(JSContext *ctx, Document *out, JSValueConst value);
