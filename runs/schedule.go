package runs

import "time"

// Schedule starts a run again and again.
type Schedule struct {
	Owner     string
	ID        string   // a UUID in lower case, or what [CheckID] allows
	Assistant string   // id of the assistant
	Thread    string   // "": each run gets a thread of its own
	Cron      string   // five or six fields, or a name such as @daily
	Zone      string   // IANA time zone; "": UTC
	Request   Document // what the client sent: the run to start
	Metadata  Metadata
	Enabled   bool
	KeepRuns  bool      // threads of its own runs are kept when the run is over
	End       time.Time // it does not fire later; zero: it never ends
	Next      time.Time // when it fires next; zero: never
	Created   time.Time // the store sets it
	Updated   time.Time // when somebody changed it; the store sets it
}

// ScheduleQuery selects schedules of an owner.
type ScheduleQuery struct {
	Assistant string // "": any
	Thread    string // "": any
	Enabled   *bool  // nil: any
	Metadata  Metadata
	Page
}
