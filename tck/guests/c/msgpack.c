#include "msgpack.h"

// A head precedes the payload or the elements of a value.
typedef struct {
	mp_type type;
	uint32_t size;   // of the head itself
	uint32_t length; // bytes of payload, elements or pairs
	uint64_t bits;   // of an integer (two's complement), boolean or float
	bool narrow;     // a float of 32 bits
} head;

static uint64_t big_endian(const uint8_t *at, uint32_t n) {
	uint64_t u = 0;
	while (n--)
		u = u << 8 | *at++;
	return u;
}

static bool signed_head(head *h, uint64_t u, uint32_t bytes) {
	uint32_t shift = 64 - 8 * bytes;
	int64_t i = (int64_t)(u << shift) >> shift;
	h->type = i < 0 ? MP_INT : MP_UINT;
	h->bits = (uint64_t)i;
	return true;
}

// read_head reads the head at the beginning of size bytes. It checks that they
// contain the payload, or at least one byte for each element.
static bool read_head(const uint8_t *at, uint32_t size, head *h) {
	*h = (head){0};
	if (size == 0)
		return false;
	uint8_t b = at[0];
	h->size = 1;
	uint32_t wide = 0; // bytes of the length, or of the number
	if (b <= 0x7f || b >= 0xe0)
		return signed_head(h, b, 1);
	if (b <= 0x8f)
		h->type = MP_MAP, h->length = b & 0x0f;
	else if (b <= 0x9f)
		h->type = MP_ARRAY, h->length = b & 0x0f;
	else if (b <= 0xbf)
		h->type = MP_STR, h->length = b & 0x1f;
	else if (b == 0xc0)
		h->type = MP_NIL;
	else if (b == 0xc2 || b == 0xc3)
		h->type = MP_BOOL, h->bits = b & 1;
	else if (b >= 0xc4 && b <= 0xc6)
		h->type = MP_BIN, wide = 1u << (b - 0xc4);
	else if (b == 0xca)
		h->type = MP_FLOAT, wide = 4;
	else if (b == 0xcb)
		h->type = MP_FLOAT, wide = 8;
	else if (b >= 0xcc && b <= 0xcf)
		h->type = MP_UINT, wide = 1u << (b - 0xcc);
	else if (b >= 0xd0 && b <= 0xd3)
		h->type = MP_INT, wide = 1u << (b - 0xd0);
	else if (b >= 0xd9 && b <= 0xdb)
		h->type = MP_STR, wide = 1u << (b - 0xd9);
	else if (b == 0xdc || b == 0xdd)
		h->type = MP_ARRAY, wide = 2u << (b - 0xdc);
	else if (b == 0xde || b == 0xdf)
		h->type = MP_MAP, wide = 2u << (b - 0xde);
	else
		return false; // ext, or the byte that is never used

	uint64_t u = 0;
	if (wide > 0) {
		if (wide > size - 1)
			return false;
		u = big_endian(at + 1, wide);
		h->size += wide;
	}
	uint32_t rest = size - h->size;
	switch (h->type) {
	case MP_UINT:
		h->bits = u;
		return true;
	case MP_INT:
		return signed_head(h, u, wide);
	case MP_FLOAT:
		h->bits = u;
		h->narrow = wide == 4;
		return true;
	case MP_STR:
	case MP_BIN:
	case MP_ARRAY:
	case MP_MAP:
		if (wide > 0)
			h->length = (uint32_t)u;
		return h->type == MP_MAP ? h->length <= rest / 2 : h->length <= rest;
	default:
		return true;
	}
}

static uint32_t payload(const head *h) {
	return h->type == MP_STR || h->type == MP_BIN ? h->length : 0;
}

// skip returns the size of the value at the beginning of the bytes, or 0 if
// there is none. Instead of recursing, it counts the values still to come.
static uint32_t skip(const uint8_t *at, uint32_t size) {
	uint32_t done = 0;
	uint64_t todo = 1;
	while (todo > 0) {
		head h;
		if (!read_head(at + done, size - done, &h))
			return 0;
		done += h.size + payload(&h);
		todo--;
		if (h.type == MP_ARRAY)
			todo += h.length;
		else if (h.type == MP_MAP)
			todo += 2 * (uint64_t)h.length;
		if (todo > size - done)
			return 0;
	}
	return done;
}

mp_val mp_doc(const void *at, uint32_t size) {
	uint32_t n = skip(at, size);
	if (n == 0 || n != size)
		return (mp_val){0};
	return (mp_val){at, n};
}

bool mp_fits(const void *bytes, uint32_t size) {
	const uint8_t *at = bytes;
	uint32_t done = 0, values = 0, depth = 0;
	struct {
		uint64_t left; // keys and values
		bool map;
	} open[MP_MAX_DEPTH];
	do {
		head h;
		if (!read_head(at + done, size - done, &h))
			return false;
		bool key = false;
		if (depth > 0) {
			key = open[depth - 1].map && open[depth - 1].left % 2 == 0;
			open[depth - 1].left--;
		}
		if (key && h.type != MP_STR)
			return false;
		if (!key && ++values > MP_MAX_VALUES)
			return false;
		done += h.size + payload(&h);
		if (h.type == MP_ARRAY || h.type == MP_MAP) {
			if (depth == MP_MAX_DEPTH)
				return false;
			open[depth].map = h.type == MP_MAP;
			open[depth].left = h.type == MP_MAP ? 2 * (uint64_t)h.length : h.length;
			depth++;
		}
		while (depth > 0 && open[depth - 1].left == 0)
			depth--;
	} while (depth > 0);
	return done == size;
}

mp_type mp_typeof(mp_val v) {
	head h;
	return read_head(v.at, v.size, &h) ? h.type : MP_NONE;
}

bool mp_is(mp_val v, mp_type t) { return mp_typeof(v) == t; }

uint32_t mp_count(mp_val v) {
	head h;
	if (!read_head(v.at, v.size, &h) || (h.type != MP_ARRAY && h.type != MP_MAP))
		return 0;
	return h.length;
}

bool mp_text(mp_val v, mp_str *out) {
	head h;
	if (!read_head(v.at, v.size, &h) || h.type != MP_STR)
		return false;
	*out = (mp_str){(const char *)v.at + h.size, h.length};
	return true;
}

bool mp_true(mp_val v) { return v.size == 1 && v.at[0] == 0xc3; }

bool mp_int(mp_val v, int64_t *out) {
	head h;
	if (!read_head(v.at, v.size, &h))
		return false;
	switch (h.type) {
	case MP_UINT:
		if (h.bits > INT64_MAX)
			return false;
		*out = (int64_t)h.bits;
		return true;
	case MP_INT:
		*out = (int64_t)h.bits;
		return true;
	case MP_FLOAT: {
		double d;
		if (h.narrow) {
			union {
				uint32_t u;
				float f;
			} n = {.u = (uint32_t)h.bits};
			d = n.f;
		} else {
			union {
				uint64_t u;
				double f;
			} w = {.u = h.bits};
			d = w.f;
		}
		if (!(d >= -9007199254740992.0 && d <= 9007199254740992.0) || d != (double)(int64_t)d)
			return false;
		*out = (int64_t)d;
		return true;
	}
	default:
		return false;
	}
}

bool mp_same(mp_str a, mp_str b) {
	if (a.size != b.size)
		return false;
	for (uint32_t i = 0; i < a.size; i++)
		if (a.at[i] != b.at[i])
			return false;
	return true;
}

mp_iter mp_each(mp_val v) {
	head h;
	if (!read_head(v.at, v.size, &h) || (h.type != MP_ARRAY && h.type != MP_MAP))
		return (mp_iter){0};
	return (mp_iter){v.at + h.size, v.at + v.size, h.length, h.type == MP_MAP};
}

bool mp_next(mp_iter *it, mp_str *key, mp_val *value) {
	while (it->left > 0) {
		it->left--;
		bool usable = true;
		if (it->map) {
			uint32_t n = skip(it->at, (uint32_t)(it->end - it->at));
			if (n == 0)
				break;
			usable = mp_text((mp_val){it->at, n}, key);
			it->at += n;
		}
		uint32_t n = skip(it->at, (uint32_t)(it->end - it->at));
		if (n == 0)
			break;
		*value = (mp_val){it->at, n};
		it->at += n;
		if (usable)
			return true;
	}
	it->left = 0;
	return false;
}

mp_val mp_get(mp_val map, mp_str key) {
	mp_iter it = mp_each(map);
	mp_str k;
	mp_val v;
	while (it.map && mp_next(&it, &k, &v))
		if (mp_same(k, key))
			return v;
	return (mp_val){0};
}

static uint8_t *room(mp_out *o, uint32_t n) {
	if (o->bad)
		return 0;
	if (n > o->cap - o->size) {
		uint64_t cap = (uint64_t)o->cap * 2;
		if (cap < (uint64_t)o->size + n)
			cap = (uint64_t)o->size + n;
		void *at = o->grow && cap <= UINT32_MAX ? o->grow(o->at, o->cap, (uint32_t)cap) : 0;
		if (!at) {
			o->bad = true;
			return 0;
		}
		o->at = at;
		o->cap = (uint32_t)cap;
	}
	uint8_t *at = o->at + o->size;
	o->size += n;
	return at;
}

static void put_bytes(mp_out *o, const void *at, uint32_t n) {
	uint8_t *to = room(o, n);
	if (to && n > 0)
		__builtin_memcpy(to, at, n);
}

static void put_head(mp_out *o, uint8_t b, uint64_t u, uint32_t wide) {
	uint8_t *to = room(o, 1 + wide);
	if (!to)
		return;
	to[0] = b;
	for (uint32_t i = wide; i > 0; i--, u >>= 8)
		to[i] = (uint8_t)u;
}

void mp_put_nil(mp_out *o) { put_head(o, 0xc0, 0, 0); }
void mp_put_bool(mp_out *o, bool b) { put_head(o, b ? 0xc3 : 0xc2, 0, 0); }

void mp_put_uint(mp_out *o, uint64_t u) {
	if (u < 0x80)
		put_head(o, (uint8_t)u, 0, 0);
	else if (u <= UINT8_MAX)
		put_head(o, 0xcc, u, 1);
	else if (u <= UINT16_MAX)
		put_head(o, 0xcd, u, 2);
	else if (u <= UINT32_MAX)
		put_head(o, 0xce, u, 4);
	else
		put_head(o, 0xcf, u, 8);
}

void mp_put_int(mp_out *o, int64_t i) {
	if (i >= 0)
		mp_put_uint(o, (uint64_t)i);
	else if (i >= -32)
		put_head(o, (uint8_t)i, 0, 0);
	else if (i >= INT8_MIN)
		put_head(o, 0xd0, (uint64_t)i, 1);
	else if (i >= INT16_MIN)
		put_head(o, 0xd1, (uint64_t)i, 2);
	else if (i >= INT32_MIN)
		put_head(o, 0xd2, (uint64_t)i, 4);
	else
		put_head(o, 0xd3, (uint64_t)i, 8);
}

static void put_str_head(mp_out *o, uint32_t n) {
	if (n < 32)
		put_head(o, (uint8_t)(0xa0 | n), 0, 0);
	else if (n <= UINT8_MAX)
		put_head(o, 0xd9, n, 1);
	else if (n <= UINT16_MAX)
		put_head(o, 0xda, n, 2);
	else
		put_head(o, 0xdb, n, 4);
}

void mp_put_str(mp_out *o, mp_str s) {
	put_str_head(o, s.size);
	put_bytes(o, s.at, s.size);
}

void mp_put_str2(mp_out *o, mp_str a, mp_str b) {
	if (b.size > UINT32_MAX - a.size) {
		o->bad = true;
		return;
	}
	put_str_head(o, a.size + b.size);
	put_bytes(o, a.at, a.size);
	put_bytes(o, b.at, b.size);
}

void mp_put_array(mp_out *o, uint32_t count) {
	if (count < 16)
		put_head(o, (uint8_t)(0x90 | count), 0, 0);
	else if (count <= UINT16_MAX)
		put_head(o, 0xdc, count, 2);
	else
		put_head(o, 0xdd, count, 4);
}

void mp_put_map(mp_out *o, uint32_t count) {
	if (count < 16)
		put_head(o, (uint8_t)(0x80 | count), 0, 0);
	else if (count <= UINT16_MAX)
		put_head(o, 0xde, count, 2);
	else
		put_head(o, 0xdf, count, 4);
}

void mp_put_val(mp_out *o, mp_val v) {
	if (v.size == 0)
		mp_put_nil(o);
	else
		put_bytes(o, v.at, v.size);
}

void mp_put_raw(mp_out *o, mp_str s) { put_bytes(o, s.at, s.size); }

// A guest may encode a length in any form. A map of unknown size gets the form
// with 32 bits, and its count when it is closed.
mp_open mp_open_map(mp_out *o) {
	mp_open m = {o->size, 0};
	put_head(o, 0xdf, 0, 4);
	return m;
}

void mp_key(mp_out *o, mp_open *m, mp_str key) {
	m->count++;
	mp_put_str(o, key);
}

void mp_close_map(mp_out *o, mp_open *m) {
	if (o->bad)
		return;
	for (uint32_t i = 0; i < 4; i++)
		o->at[m->at + 1 + i] = (uint8_t)(m->count >> (24 - 8 * i));
}
