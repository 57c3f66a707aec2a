// A small msgpack reader and writer. The reader works on slices of the
// document. It allocates nothing, never recurses, and checks every length
// against the available bytes.
#ifndef LOGBOOK_MSGPACK_H
#define LOGBOOK_MSGPACK_H

#include <stdbool.h>
#include <stdint.h>

// The limits of a guest's documents: SPEC §1.
#define MP_MAX_DEPTH 64
#define MP_MAX_VALUES 131072

typedef enum {
	MP_NONE, // no value: absent, or malformed
	MP_NIL,
	MP_BOOL,
	MP_UINT, // any integer >= 0, whatever its form
	MP_INT,  // any integer < 0
	MP_FLOAT,
	MP_STR,
	MP_BIN,
	MP_ARRAY,
	MP_MAP,
} mp_type;

// mp_val is one complete encoded value. {0, 0} means none.
typedef struct {
	const uint8_t *at;
	uint32_t size;
} mp_val;

typedef struct {
	const char *at;
	uint32_t size;
} mp_str;

#define MP_LIT(literal) ((mp_str){(literal), sizeof(literal) - 1})

// mp_doc returns the single value in the bytes. It returns none if there is
// none, if it is malformed anywhere inside, or if bytes follow it.
mp_val mp_doc(const void *at, uint32_t size);

// mp_fits reports whether a guest may write the document.
bool mp_fits(const void *at, uint32_t size);

mp_type mp_typeof(mp_val v);
bool mp_is(mp_val v, mp_type t);
uint32_t mp_count(mp_val v);          // elements of an array, pairs of a map, otherwise 0
mp_val mp_get(mp_val map, mp_str key); // none if there is no such key, or no map
bool mp_text(mp_val v, mp_str *out);  // of a str
bool mp_int(mp_val v, int64_t *out);  // of an integer, or of a float that is one
bool mp_true(mp_val v);
bool mp_same(mp_str a, mp_str b);

typedef struct {
	const uint8_t *at, *end;
	uint32_t left;
	bool map;
} mp_iter;

mp_iter mp_each(mp_val array_or_map); // of anything else: nothing
bool mp_next(mp_iter *it, mp_str *key, mp_val *value); // key is untouched for an array; keys that are not str are passed over

// mp_out is a document under construction. A failure to grow makes it bad, and
// a bad one takes no more bytes.
typedef struct mp_out {
	uint8_t *at;
	uint32_t size, cap;
	bool bad;
	void *(*grow)(void *old, uint32_t old_cap, uint32_t new_cap); // none: at is all there is
} mp_out;

typedef struct {
	uint32_t at, count;
} mp_open;

void mp_put_nil(mp_out *o);
void mp_put_bool(mp_out *o, bool b);
void mp_put_uint(mp_out *o, uint64_t u);
void mp_put_int(mp_out *o, int64_t i);
void mp_put_str(mp_out *o, mp_str s);
void mp_put_str2(mp_out *o, mp_str a, mp_str b); // one str of two parts
void mp_put_array(mp_out *o, uint32_t count);
void mp_put_map(mp_out *o, uint32_t count);
void mp_put_val(mp_out *o, mp_val v); // a copy, byte for byte
void mp_put_raw(mp_out *o, mp_str s); // bytes without a head: to build a text

// A map whose size is known only at its end.
mp_open mp_open_map(mp_out *o);
void mp_key(mp_out *o, mp_open *m, mp_str key);
void mp_close_map(mp_out *o, mp_open *m);

#define mp_put(o, literal) mp_put_str((o), MP_LIT(literal))

#endif
