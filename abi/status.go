package abi

import "github.com/agenthost/agenthost/abi/wire"

// Status says how next or host_call ended. It is the upper half of their return value. See SPEC.md.
type Status int32

// The statuses. The small negative ones are errnos: the host refused the call before making it, and there is no reply.
const (
	StatusOK          Status = 0
	EINVAL            Status = -1 // the document or the call makes no sense here
	ENOENT            Status = -2 // there is no such operation, model, tool or key
	ETOOBIG           Status = -3 // the reply exceeds the limit
	EDENIED           Status = -4 // the capability was not granted
	ENOTSUP           Status = -5 // known, but not available in this hook or host
	EBUSY             Status = -6 // no instance is free to run it
	ELIMIT            Status = -7 // too many calls of next or host_call, or a quota is used up
	ECONFLICT         Status = -8 // the entry has another version
	StatusFailed      Status = -20
	StatusInterrupted Status = -21 // an interrupt is pending: return, the frame is closed
	StatusCancelled   Status = -22 // the run is cancelled: return, the frame is closed
)

// Pack makes the result of next and host_call, with the status in the upper 32 bits and the length of the reply in the
// lower 32.
func Pack(s Status, replyLength int) uint64 {
	return uint64(uint32(s))<<32 | uint64(uint32(replyLength))
}

// Unpack splits the result of next and host_call.
func Unpack(v uint64) (s Status, replyLength int) { return Status(int32(v >> 32)), int(uint32(v)) }

// String returns the name of the status.
func (s Status) String() string {
	switch s {
	case StatusOK:
		return "ok"
	case EINVAL:
		return "EINVAL"
	case ENOENT:
		return "ENOENT"
	case ETOOBIG:
		return "ETOOBIG"
	case EDENIED:
		return "EDENIED"
	case ENOTSUP:
		return "ENOTSUP"
	case EBUSY:
		return "EBUSY"
	case ELIMIT:
		return "ELIMIT"
	case ECONFLICT:
		return "ECONFLICT"
	case StatusFailed:
		return "failed"
	case StatusInterrupted:
		return "interrupted"
	case StatusCancelled:
		return "cancelled"
	default:
		return "status " + itoa(int64(s))
	}
}

// MarshalMsg appends the status as an integer.
func (s Status) MarshalMsg(dst []byte) ([]byte, error) { return wire.AppendInt(dst, int64(s)), nil }

// UnmarshalMsg decodes an integer of 32 bits.
func (s *Status) UnmarshalMsg(b []byte) ([]byte, error) {
	var raw wire.Raw
	rest, err := raw.UnmarshalMsg(b)
	if err != nil {
		return b, err
	}
	n, ok := raw.AsInt()
	if !ok || int64(int32(n)) != n {
		return b, &DocumentError{Document: "status", Reason: "must be an integer of 32 bits"}
	}
	*s = Status(n)
	return rest, nil
}

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (Status) Msgsize() int { return 5 }

// LogLevel is the level of a guest's log line.
type LogLevel int32

// The levels.
const (
	LogDebug LogLevel = 0
	LogInfo  LogLevel = 1
	LogWarn  LogLevel = 2
	LogError LogLevel = 3
)
