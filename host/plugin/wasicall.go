package plugin

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// The WASI functions that the host implements itself. They behave like wazero's in a world without files and sockets.

// errno is the result of a WASI function.
type errno uint32

const (
	errnoOK     errno = 0
	errnoBadf   errno = 8  // there is no such descriptor
	errnoFault  errno = 21 // a pointer leads outside the memory
	errnoInval  errno = 28
	errnoNotsup errno = 58
)

const (
	maxVectors       = 1024 // pieces of one fd_read or fd_write, and subscriptions of one poll_oneoff
	vectorSize       = 8
	subscriptionSize = 48
	eventSize        = 32

	randomPart = 32 << 10 // how many random bytes are made between checks of the guest's time
	randomWork = 8        // cost of one byte, in bytes moved
)

// wasiFunction is a WASI function. All of them return an errno.
type wasiFunction struct {
	name   string
	params []api.ValueType
	call   func(i *instance, s []uint64) errno
}

func wasiFunctions() []wasiFunction {
	ints := func(n int) []api.ValueType { return slices.Repeat([]api.ValueType{i32}, n) }
	return []wasiFunction{
		{"random_get", ints(2), randomGet},
		{"poll_oneoff", ints(4), pollOneoff},
		{"fd_write", ints(4), func(i *instance, s []uint64) errno {
			return i.fdWrite(uint32(s[0]), uint32(s[1]), uint32(s[2]), uint32(s[3]))
		}},
		{"fd_read", ints(4), func(i *instance, s []uint64) errno {
			return i.fdRead(uint32(s[0]), uint32(s[1]), uint32(s[2]), uint32(s[3]))
		}},
		{"fd_close", ints(1), noChange},
		{"fd_fdstat_set_flags", ints(2), noChange},
		{"fd_filestat_set_times", []api.ValueType{i32, i64, i64, i32}, noChange},
		{"fd_pwrite", slices.Concat(ints(3), []api.ValueType{i64, i32}), noFile},
		{"fd_pread", slices.Concat(ints(3), []api.ValueType{i64, i32}), noFile},
		{"path_create_directory", ints(3), noFile},
		{"path_filestat_get", ints(5), noFile},
		{"path_filestat_set_times", slices.Concat(ints(4), []api.ValueType{i64, i64, i32}), noFile},
		{"path_link", ints(7), noFile},
		{"path_open", slices.Concat(ints(5), []api.ValueType{i64, i64, i32, i32}), noFile},
		{"path_readlink", ints(6), noFile},
		{"path_remove_directory", ints(3), noFile},
		{"path_rename", ints(6), noFile},
		{"path_symlink", ints(5), noFile},
		{"path_unlink_file", ints(3), noFile},
	}
}

// noFile implements file functions: there are no files, so paths are not examined.
func noFile(*instance, []uint64) errno { return errnoBadf }

// noChange implements functions that change a descriptor: the three descriptors never change, so no call leaves anything to
// the next.
func noChange(_ *instance, s []uint64) errno {
	if uint32(s[0]) > 2 {
		return errnoBadf
	}
	return errnoOK
}

// randomGet implements random_get(buf, len).
func randomGet(i *instance, s []uint64) errno {
	b := i.memory.part(uint32(s[0]), uint32(s[1]))
	if b == nil && uint32(s[1]) > 0 {
		return errnoFault
	}
	for part := range slices.Chunk(b, randomPart) {
		i.random.fill(part)
		i.worked(randomWork * len(part))
	}
	return errnoOK
}

// vectors returns the pieces of memory that a list of pointers and lengths describes.
func (i *instance) vectors(list, n uint32) ([][]byte, errno) {
	if n > maxVectors {
		return nil, errnoInval
	}
	b := i.memory.part(list, n*vectorSize)
	if b == nil && n > 0 {
		return nil, errnoFault
	}
	pieces := make([][]byte, 0, min(n, 4))
	for v := range slices.Chunk(b, vectorSize) {
		piece := i.memory.part(binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:]))
		if piece == nil {
			return nil, errnoFault
		}
		pieces = append(pieces, piece)
	}
	return pieces, errnoOK
}

// put stores a number at an address that the guest gave.
func (i *instance) put(at, value uint32) errno {
	b := i.memory.part(at, 4)
	if b == nil {
		return errnoFault
	}
	binary.LittleEndian.PutUint32(b, value)
	return errnoOK
}

// fdWrite logs what is written to standard output and error.
func (i *instance) fdWrite(fd, list, n, written uint32) errno {
	if fd != 1 && fd != 2 {
		return errnoBadf
	}
	pieces, bad := i.vectors(list, n)
	if bad != errnoOK {
		return bad
	}
	var total uint32
	for _, piece := range pieces {
		i.output.write(piece)
		total += uint32(len(piece))
	}
	return i.put(written, total)
}

// fdRead reads nothing: standard input is empty.
func (i *instance) fdRead(fd, list, n, read uint32) errno {
	if fd != 0 {
		return errnoBadf
	}
	if _, bad := i.vectors(list, n); bad != errnoOK {
		return bad
	}
	return i.put(read, 0)
}

// The kinds of subscriptions.
const (
	subscribeClock = 0
	subscribeRead  = 1
	subscribeWrite = 2
)

// pollOneoff implements poll_oneoff(in, out, nsubscriptions, nevents). Each subscription has its event at once. If all are
// clocks, the virtual clock advances by the shortest of their times.
func pollOneoff(i *instance, s []uint64) errno {
	n := uint32(s[2])
	if n == 0 || n > maxVectors {
		return errnoInval
	}
	in, out := i.memory.part(uint32(s[0]), n*subscriptionSize), i.memory.part(uint32(s[1]), n*eventSize)
	if in == nil || out == nil {
		return errnoFault
	}
	in = slices.Clone(in) // the events may overlap the subscriptions
	clear(out)
	sleep, ready := int64(math.MaxInt64), false
	for k := range int(n) {
		sub, e := in[k*subscriptionSize:], out[k*eventSize:]
		kind := sub[8]
		var outcome errno
		switch fd := binary.LittleEndian.Uint32(sub[16:]); kind {
		case subscribeClock:
			if flags := binary.LittleEndian.Uint16(sub[40:]); flags != 0 {
				return errnoNotsup // an absolute time
			}
			sleep = min(sleep, int64(min(binary.LittleEndian.Uint64(sub[24:]), math.MaxInt64)))
		case subscribeRead:
			ready = true
			if fd > 2 {
				outcome = errnoBadf
			}
		case subscribeWrite:
			if outcome = errnoNotsup; fd > 2 {
				outcome = errnoBadf
			}
			ready = true
		default:
			return errnoInval
		}
		copy(e, sub[:8]) // the guest's identifier for it
		binary.LittleEndian.PutUint16(e[8:], uint16(outcome))
		e[10] = kind
	}
	i.worked(int(n) * subscriptionSize)
	if !ready {
		i.clock.sleep(sleep)
	}
	return i.put(uint32(s[3]), n)
}
