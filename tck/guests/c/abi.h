// The agenthost plugin ABI, version 1: its imports, and helpers for a guest in
// C. Section numbers are those of abi/SPEC.md.
#ifndef LOGBOOK_ABI_H
#define LOGBOOK_ABI_H

#include "msgpack.h"

#define ABI_EXPORT(name) __attribute__((export_name(#name)))

// §4, Status. All values from -1 to -19 are refusals, even those without a
// name.
enum {
	ABI_OK = 0,
	ABI_EINVAL = -1,
	ABI_ENOENT = -2,
	ABI_ETOOBIG = -3,
	ABI_EDENIED = -4,
	ABI_ENOTSUP = -5,
	ABI_EBUSY = -6,
	ABI_ELIMIT = -7,
	ABI_ECONFLICT = -8,
	ABI_LAST_ERRNO = -19,
	ABI_FAILED = -20,
	ABI_INTERRUPTED = -21,
	ABI_CANCELLED = -22,
};

enum { ABI_DEBUG, ABI_INFO, ABI_WARNING, ABI_ERROR };

// §14: the limit of a guest's document. The operator may set another limit,
// which a guest cannot find out.
#define ABI_MAX_DOCUMENT (1u << 20)

// abi_begin frees the memory of earlier calls, and returns the input of len
// bytes, or none if there is no memory for it.
mp_val abi_begin(uint32_t len);

// abi_keep keeps all memory allocated so far for later calls.
void abi_keep(void);

// abi_alloc allocates memory until the next abi_begin, or returns none.
void *abi_alloc(uint32_t size);

mp_out abi_document(void);

// abi_result writes the document, and returns the value that the hook must
// return: 1, or 0 after a warning if the document cannot be written.
int32_t abi_result(const mp_out *o);

// abi_next and abi_call return the status. Without a reply, reply is none.
int32_t abi_next(const mp_out *change, mp_val *reply); // no change: 0
int32_t abi_call(mp_str op, const mp_out *document, mp_val *reply);

bool abi_closed(int32_t status);
bool abi_refused(int32_t status);
mp_str abi_status_name(int32_t status); // empty for one that version 1.0 does not know

// A line of the log, cut off when it is full.
typedef struct {
	char at[1024];
	uint32_t size;
} abi_line;

void abi_say(abi_line *l, mp_str s);
void abi_say_int(abi_line *l, int64_t i);
void abi_say_status(abi_line *l, int32_t status);
void abi_log(int32_t level, const abi_line *l);
void abi_log_text(int32_t level, mp_str s);

// abi_cut returns the part of s that fits in size bytes and ends between two
// characters.
mp_str abi_cut(mp_str s, uint32_t size);

#endif
