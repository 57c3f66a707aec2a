package door

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// Why a wait ended before its run did.
var (
	ErrLeft     = errors.New("the client is gone")
	ErrStopping = errors.New("the server is stopping; the run goes on")
)

// defaultHeartbeat is the interval of heartbeats if a server does not say.
const defaultHeartbeat = 5 * time.Second

// Await waits for the end of a run, as part of a [Door.Stream]. It keeps the connection alive by sending white space, which JSON allows before a
// document: the first after a number of heartbeats, the others after one each. begun reports whether it has, so that the status is 200 whatever
// follows, see [Call.Finish]. The error is [ErrLeft], [ErrStopping], or that of the store, which is [runs.ErrNoRun] for a run that was rolled back.
func (d *Door) Await(c *Call, run string, quiet int) (over *runs.Run, begun bool, err error) {
	every := d.Heartbeat
	if every <= 0 {
		every = defaultHeartbeat
	}
	ctx, stop := context.WithCancel(c.R.Context())
	defer stop()
	unwatch := context.AfterFunc(d.Closing, stop)
	defer unwatch()
	type end struct {
		run *runs.Run
		err error
	}
	ended := make(chan end, 1)
	go func() {
		run, err := d.Service.Reader().Wait(ctx, c.Owner, run)
		ended <- end{run, err}
	}()
	beat := time.NewTimer(time.Duration(quiet) * every) //nolint:forbidigo // proxies wait in real time
	defer beat.Stop()
	lost := false
	for {
		select {
		case <-beat.C:
			begun = true
			if err := c.beat(every); err != nil {
				lost = true
				stop()
				continue
			}
			beat.Reset(every)
		case e := <-ended:
			switch {
			case e.err == nil && !lost:
				return e.run, begun, nil
			case lost, c.R.Context().Err() != nil:
				return nil, begun, ErrLeft
			case d.Closing.Err() != nil && !errors.Is(e.err, runs.ErrNoRun):
				return nil, begun, ErrStopping
			}
			return nil, begun, e.err
		}
	}
}

// beat sends a newline.
func (c *Call) beat(every time.Duration) error {
	control := http.NewResponseController(c.W)
	if err := control.SetWriteDeadline(time.Now().Add(2 * every)); err != nil { //nolint:forbidigo // deadlines are in real time
		return err
	}
	c.W.Header().Set("Content-Type", "application/json")
	if _, err := c.W.Write([]byte("\n")); err != nil {
		return err
	}
	return control.Flush()
}
