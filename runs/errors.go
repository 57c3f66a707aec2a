package runs

import "errors"

// The errors of stores and of the service. They may be wrapped: compare with [errors.Is]. A row of another owner does not exist.
var (
	ErrNoThread     = errors.New("there is no such thread")
	ErrNoRun        = errors.New("there is no such run")
	ErrNoAssistant  = errors.New("there is no such assistant")
	ErrNoVersion    = errors.New("the assistant has no such version")
	ErrNoAgent      = errors.New("the server does not have the agent")
	ErrOwnAssistant = errors.New("the assistant stands for an agent of this server, so it cannot be changed")
	ErrInvalidTask  = errors.New("the run cannot be started")
	ErrNoSchedule   = errors.New("there is no such schedule")
	ErrExists       = errors.New("it exists already")
	ErrThreadBusy   = errors.New("the thread has a run that is not over; wait for its end, or choose another strategy")
	ErrQueueFull    = errors.New("too many runs wait; try again when some have ended")
	ErrRunOver      = errors.New("the run is over")
	ErrNotClaimed   = errors.New("another process performs the run, or it is over")
	ErrBadQuery     = errors.New("the query cannot be answered")
	ErrInvalidValue = errors.New("the value cannot be stored")
)
