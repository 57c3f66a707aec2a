#include "abi.h"

#define IMPORT(name) __attribute__((import_module("agenthost_v1"), import_name(#name)))

IMPORT(input_read) uint32_t host_input_read(void *buf, uint32_t cap);
IMPORT(result_write) int32_t host_result_write(const void *at, uint32_t len);
IMPORT(next) int64_t host_next(const void *at, uint32_t len);
IMPORT(host_call) int64_t host_host_call(const void *op, uint32_t op_len, const void *at, uint32_t len);
IMPORT(reply_read) uint32_t host_reply_read(void *buf, uint32_t cap);
IMPORT(log) void host_log(int32_t level, const void *at, uint32_t len);

ABI_EXPORT(agenthost_abi_v1) void agenthost_abi_v1(void) {}

// Memory: the linker says where data and stack end. From there a pointer moves
// up, and each call moves it back. Nothing relies on data of earlier calls.
extern uint8_t __heap_base;
static uintptr_t heap_top, heap_kept;

// Called once in every new instance, before anything else (§2).
ABI_EXPORT(_initialize) void initialize(void) { heap_top = heap_kept = (uintptr_t)&__heap_base; }

void *abi_alloc(uint32_t size) {
	uint64_t at = ((uint64_t)heap_top + 7) & ~(uint64_t)7;
	uint64_t end = at + size;
	uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
	if (end > have) {
		uint64_t pages = (end - have + 0xffff) >> 16;
		if (pages > 0xffff || __builtin_wasm_memory_grow(0, (uintptr_t)pages) == (uintptr_t)-1)
			return 0;
	}
	heap_top = (uintptr_t)end;
	return (void *)(uintptr_t)at;
}

static void *grow(void *old, uint32_t old_cap, uint32_t new_cap) {
	if (old && (uintptr_t)old + old_cap == heap_top) { // the last one: in its place
		uintptr_t top = heap_top;
		heap_top = (uintptr_t)old;
		if (abi_alloc(new_cap))
			return old;
		heap_top = top;
		return 0;
	}
	void *at = abi_alloc(new_cap);
	if (at && old)
		__builtin_memcpy(at, old, old_cap);
	return at;
}

mp_out abi_document(void) { return (mp_out){.grow = grow}; }

void abi_keep(void) { heap_kept = heap_top; }

mp_val abi_begin(uint32_t len) {
	heap_top = heap_kept;
	uint8_t *at = abi_alloc(len);
	if (!at) {
		abi_log_text(ABI_WARNING, MP_LIT("no memory for the input"));
		return (mp_val){0};
	}
	if (host_input_read(at, len) != len)
		return (mp_val){0}; // it copied nothing, or something else than promised
	return mp_doc(at, len);
}

static bool writable(const mp_out *o) {
	if (!o->bad && o->size <= ABI_MAX_DOCUMENT && mp_fits(o->at, o->size))
		return true;
	abi_log_text(ABI_WARNING, MP_LIT("what the logbook wants to write is larger or deeper than it may be"));
	return false;
}

int32_t abi_result(const mp_out *o) {
	if (!writable(o))
		return 0;
	host_result_write(o->at, o->size);
	return 1;
}

static int32_t outcome(int64_t r, mp_val *reply) {
	int32_t status = (int32_t)(r >> 32);
	uint32_t length = (uint32_t)r;
	*reply = (mp_val){0};
	if (length > 0) {
		uint8_t *at = abi_alloc(length);
		if (!at)
			abi_log_text(ABI_WARNING, MP_LIT("no memory for the reply"));
		else if (host_reply_read(at, length) == length)
			*reply = mp_doc(at, length);
	}
	if (abi_status_name(status).size == 0) {
		abi_line l = {.size = 0};
		abi_say(&l, MP_LIT("the host answers with a status that is unknown here: "));
		abi_say_int(&l, status);
		abi_log(ABI_WARNING, &l);
	}
	return status;
}

int32_t abi_next(const mp_out *change, mp_val *reply) {
	*reply = (mp_val){0};
	if (!change)
		return outcome(host_next(0, 0), reply);
	if (!writable(change))
		return ABI_EINVAL;
	return outcome(host_next(change->at, change->size), reply);
}

int32_t abi_call(mp_str op, const mp_out *document, mp_val *reply) {
	*reply = (mp_val){0};
	if (!document)
		return outcome(host_host_call(op.at, op.size, 0, 0), reply);
	if (!writable(document))
		return ABI_EINVAL;
	return outcome(host_host_call(op.at, op.size, document->at, document->size), reply);
}

bool abi_closed(int32_t status) { return status == ABI_INTERRUPTED || status == ABI_CANCELLED; }
bool abi_refused(int32_t status) { return status < ABI_OK && status >= ABI_LAST_ERRNO; }

mp_str abi_status_name(int32_t status) {
	switch (status) {
	case ABI_OK: return MP_LIT("ok");
	case ABI_EINVAL: return MP_LIT("EINVAL");
	case ABI_ENOENT: return MP_LIT("ENOENT");
	case ABI_ETOOBIG: return MP_LIT("ETOOBIG");
	case ABI_EDENIED: return MP_LIT("EDENIED");
	case ABI_ENOTSUP: return MP_LIT("ENOTSUP");
	case ABI_EBUSY: return MP_LIT("EBUSY");
	case ABI_ELIMIT: return MP_LIT("ELIMIT");
	case ABI_ECONFLICT: return MP_LIT("ECONFLICT");
	case ABI_FAILED: return MP_LIT("failed");
	case ABI_INTERRUPTED: return MP_LIT("interrupted");
	case ABI_CANCELLED: return MP_LIT("cancelled");
	default: return (mp_str){"", 0};
	}
}

mp_str abi_cut(mp_str s, uint32_t size) {
	if (s.size <= size)
		return s;
	while (size > 0 && ((uint8_t)s.at[size] & 0xc0) == 0x80)
		size--;
	return (mp_str){s.at, size};
}

void abi_say(abi_line *l, mp_str s) {
	s = abi_cut(s, sizeof l->at - l->size);
	for (uint32_t i = 0; i < s.size; i++)
		l->at[l->size++] = s.at[i];
}

void abi_say_int(abi_line *l, int64_t i) {
	char digits[20];
	uint32_t n = sizeof digits;
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	do
		digits[--n] = (char)('0' + u % 10);
	while (u /= 10);
	if (i < 0)
		digits[--n] = '-';
	abi_say(l, (mp_str){digits + n, (uint32_t)sizeof digits - n});
}

void abi_say_status(abi_line *l, int32_t status) {
	mp_str name = abi_status_name(status);
	if (name.size > 0)
		abi_say(l, name);
	else
		abi_say(l, MP_LIT("status ")), abi_say_int(l, status);
}

void abi_log(int32_t level, const abi_line *l) { host_log(level, l->at, l->size); }
void abi_log_text(int32_t level, mp_str s) { host_log(level, s.at, s.size); }
