package protocol

import (
	"math"
	"strconv"
)

// Place is where a frame is among all frames of its thread, whatever a client subscribed to.
type Place struct {
	Run   uint64 // number of the run, see [github.com/agenthost/agenthost/runs.Run]
	Event uint64 // position of the event in the run; [Over] is behind all of them
	Index int    // number of the frame among those of the event
}

// Over is the position in a run of what says that the run is over.
const Over = math.MaxUint64

// Behind reports whether a place is behind another one.
func (p Place) Behind(other Place) bool {
	switch {
	case p.Run != other.Run:
		return p.Run > other.Run
	case p.Event != other.Event:
		return p.Event > other.Event
	default:
		return p.Index > other.Index
	}
}

// String returns the place as text, which is the id of an event.
func (p Place) String() string {
	return strconv.FormatUint(p.Run, 10) + "." + strconv.FormatUint(p.Event, 10) + "-" + strconv.Itoa(p.Index)
}

// Clients know places as numbers, seq, that grow, and that JavaScript can hold: they have 53 bits. The upper bits are the lower ones of the
// number of the run. Then come two bits of the attempt, the number of the event in the attempt, and the number of the frame. Places
// whose numbers do not fit share the last number of their kind. A client that goes on behind a shared number gets all frames that share it: it may
// see one twice, which its event_id tells, but misses none.
const (
	indexBits = 4
	eventBits = 20
	placeBits = 2 + eventBits + indexBits
	runBits   = 53 - placeBits

	over      = 1<<placeBits - 1 // the run is over
	crowded   = over - 1         // shared by all frames of later attempts
	attempts  = 3                // those with numbers of their own
	lastEvent = 1<<eventBits - 1 // shared by the last events of an attempt
	lastOf    = 1<<indexBits - 1 // shared by the last frames of an event
)

// Seq returns the number of a place.
func (p Place) Seq() uint64 {
	return (p.Run%(1<<runBits))<<placeBits | p.inRun()
}

// SeqText returns the number of the place as text.
func (p Place) SeqText() string { return strconv.FormatUint(p.Seq(), 10) }

func (p Place) inRun() uint64 {
	attempt, event := p.Event>>32, p.Event&math.MaxUint32
	index := uint64(min(p.Index, lastOf))
	switch {
	case p.Event == Over:
		return over
	case attempt > attempts:
		return crowded
	case event > lastEvent:
		event, index = lastEvent, lastOf
	}
	return (max(attempt, 1)-1)<<(eventBits+indexBits) | event<<indexBits | index
}

// Since is the number behind which a client wants to go on, as a place among the runs of its thread.
type Since struct {
	Run uint64 // earlier runs are of no interest
	at  uint64
}

// SinceOf returns the place of a number, for a thread whose newest run has a number. Numbers of runs that are far apart have equal lower bits; the
// one that is meant is the newest of these.
func SinceOf(seq, newest uint64) Since {
	run := seq >> placeBits
	back := (newest - run) % (1 << runBits)
	return Since{Run: newest - min(back, newest), at: seq & over}
}

// Seen reports whether a client has seen the frame at a place.
func (s Since) Seen(p Place) bool {
	if p.Run != s.Run {
		return p.Run < s.Run
	}
	at := p.inRun()
	shared := at == crowded || at != over && at&lastOf == lastOf
	return at < s.at || at == s.at && !shared
}
