package access

import "time"

// Inbound limits the messages of WebSockets as those of requests: each of them counts as one. The zero value has no limits.
type Inbound struct {
	Most   int64         // bytes of a message; 0: any number
	Within time.Duration // in which a message must arrive that has begun; 0: any time
	Budget *Budget       // of the bytes that are in memory; nil: there is none
	Rates  *Rates        // of messages; nil: there is none
}
