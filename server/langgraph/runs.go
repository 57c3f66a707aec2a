package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// runDocument is a run as clients see it.
type runDocument struct {
	ID        string         `json:"run_id" format:"uuid"`
	Thread    string         `json:"thread_id" format:"uuid"`
	Assistant string         `json:"assistant_id" format:"uuid"`
	Metadata  runs.Metadata  `json:"metadata"`
	Status    runs.Status    `json:"status" enum:"pending,running,success,error,timeout,interrupted"`
	Kwargs    map[string]any `json:"kwargs" jsonschema:"What the client asked for, with the defaults."`
	Strategy  runs.Strategy  `json:"multitask_strategy" enum:"reject,interrupt,rollback,enqueue"`
	Created   *timestamp     `json:"created_at"`
	Updated   *timestamp     `json:"updated_at"`
}

func runOf(r *runs.Run) runDocument {
	var kwargs map[string]any
	if json.Unmarshal(r.Request, &kwargs) != nil || kwargs == nil {
		kwargs = map[string]any{}
	}
	config, _ := kwargs["config"].(map[string]any)
	if config == nil {
		config = map[string]any{}
	}
	configurable, _ := config["configurable"].(map[string]any)
	if configurable == nil {
		configurable = map[string]any{}
	}
	maps.Copy(configurable, map[string]any{"run_id": r.ID, "thread_id": r.Thread, "graph_id": r.Agent, "assistant_id": r.Assistant})
	config["configurable"], config["metadata"] = configurable, r.Metadata
	kwargs["config"] = config
	return runDocument{
		ID: r.ID, Thread: r.Thread, Assistant: r.Assistant, Metadata: r.Metadata, Status: r.Status, Kwargs: kwargs, Strategy: r.Strategy,
		Created: timeOf(r.Created), Updated: timeOf(r.Updated),
	}
}

// submit submits the run that a request asks for.
func (h *Handler) submit(c *call, body *runCreate, thread string) (*runs.Run, error) {
	sub, err := h.submission(c, body, thread)
	if err != nil {
		return nil, err
	}
	run, err := h.Service.Submit(c.R.Context(), sub)
	if errors.Is(err, runs.ErrNoThread) {
		return nil, detail.Errorf(http.StatusNotFound, "Thread or assistant not found.")
	}
	return run, err
}

// submitBody reads and submits a run.
func (h *Handler) submitBody(c *call, stateless bool) (*runs.Run, *runCreate, error) {
	thread := ""
	if !stateless {
		var err error
		if thread, err = c.thread(); err != nil {
			return nil, nil, err
		}
	}
	body := &runCreate{}
	if err := jsonbody.Decode(c.R, body); err != nil {
		return nil, nil, err
	}
	run, err := h.submit(c, body, thread)
	return run, body, err
}

// locate adds the headers that say where a run is.
func locate(c *call, r *runs.Run, rest string, stateless bool) {
	at := "/threads/" + r.Thread + "/runs/" + r.ID
	if stateless {
		at = "/runs/" + r.ID
	}
	c.W.Header().Set("Content-Location", at)
	if rest != "" {
		c.W.Header().Set("Location", at+rest)
	}
}

func (h *Handler) createRun(c *call) error       { return h.create(c, false) }
func (h *Handler) createStateless(c *call) error { return h.create(c, true) }

func (h *Handler) create(c *call, stateless bool) error {
	run, _, err := h.submitBody(c, stateless)
	if err != nil {
		return err
	}
	locate(c, run, "", stateless)
	return c.Answer(runOf(run))
}

// runIn returns a run if it is one of a thread.
func (h *Handler) runIn(c *call, thread, id string) (*runs.Run, error) {
	r, err := h.Service.Run(c.R.Context(), c.Owner, id)
	if err != nil {
		return nil, err
	}
	if thread != "" && r.Thread != thread {
		return nil, runs.ErrNoRun
	}
	return r, nil
}

// runOfPath returns the run that the path names, in its thread if it names one.
func (h *Handler) runOfPath(c *call) (*runs.Run, error) {
	thread := ""
	if c.R.PathValue("thread") != "" {
		var err error
		if thread, err = c.thread(); err != nil {
			return nil, err
		}
	}
	id, err := c.run()
	if err != nil {
		return nil, err
	}
	return h.runIn(c, thread, id)
}

func (h *Handler) createBatch(c *call) error {
	var bodies []runCreate
	if err := jsonbody.Decode(c.R, &bodies); err != nil {
		return err
	}
	const most = 1000
	if len(bodies) > most {
		return unprocessable("the batch has %d runs; at most %d are possible", len(bodies), most)
	}
	subs := make([]*runs.Submission, len(bodies))
	for i := range bodies { // all of them are checked before the first one is submitted
		var err error
		if subs[i], err = h.submission(c, &bodies[i], ""); err != nil {
			return err
		}
	}
	out := make([]runDocument, len(subs))
	for i, sub := range subs {
		run, err := h.Service.Submit(c.R.Context(), sub)
		if err != nil {
			return errors.Join(err, h.takeBack(c, out[:i]))
		}
		out[i] = runOf(run)
	}
	return c.Answer(out)
}

// takeBack takes back the runs of a batch that was not submitted as a whole: a client that submits it again must not have them twice.
func (h *Handler) takeBack(c *call, submitted []runDocument) error {
	var errs []error
	for i := range submitted {
		_, err := h.Service.Cancel(context.WithoutCancel(c.R.Context()), c.Owner, submitted[i].ID, runs.CancelRollback)
		if !errors.Is(err, runs.ErrRunOver) && !errors.Is(err, runs.ErrNoRun) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (h *Handler) listRuns(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	q := &runs.RunQuery{Status: runs.Status(c.query().Get("status"))}
	if q.Limit, err = c.number("limit", 1, runs.DefaultPage); err != nil {
		return err
	}
	if q.Offset, err = c.number("offset", 0, 0); err != nil {
		return err
	}
	found, err := h.Service.FindRuns(c.R.Context(), c.Owner, thread, q)
	if err != nil {
		return err
	}
	out := make([]runDocument, len(found))
	for i := range found {
		out[i] = runOf(&found[i])
	}
	part, err := selected(out, c.query()["select"])
	if err != nil {
		return err
	}
	return c.Answer(part)
}

func (h *Handler) readRun(c *call) error {
	r, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	return c.Answer(runOf(r))
}

// readByID answers for paths of net/http that would contradict each other as patterns: what belongs to a run without a thread, and a schedule.
func (h *Handler) readByID(c *call) error {
	run, what := c.R.PathValue("run"), c.R.PathValue("what")
	switch {
	case run == "crons":
		c.R.SetPathValue("cron", what)
		return h.answerCron(c)
	case what == "stream":
		return h.streaming(h.streamByID)(c)
	case what == "join":
		return h.streaming(h.joinRun)(c)
	default:
		return detail.Errorf(http.StatusNotFound, "Not Found")
	}
}

func (h *Handler) deleteRun(c *call) error {
	r, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	if err := h.Service.DeleteRun(c.R.Context(), c.Owner, r.ID); err != nil {
		return err
	}
	return c.Done()
}

// cancelAction returns how a request cancels runs.
func (c *call) cancelAction() (runs.Cancel, error) {
	switch action := c.query().Get("action"); action {
	case "", "interrupt":
		return runs.CancelKeep, nil
	case "rollback":
		return runs.CancelRollback, nil
	default:
		return "", unprocessable("'%.64s' is not one of ['interrupt', 'rollback']\n\nOn instance[\"action\"]", action)
	}
}

func (h *Handler) cancelRun(c *call) error {
	how, err := c.cancelAction()
	if err != nil {
		return err
	}
	wait, err := c.flag("wait")
	if err != nil {
		return err
	}
	r, err := h.runOfPath(c)
	if errors.Is(err, runs.ErrNoRun) {
		return detail.Errorf(http.StatusNotFound, "No runs found to cancel.")
	}
	if err != nil {
		return err
	}
	_, err = h.Service.Cancel(c.R.Context(), c.Owner, r.ID, how)
	switch {
	case errors.Is(err, runs.ErrRunOver), errors.Is(err, runs.ErrNoRun):
		return detail.Errorf(http.StatusNotFound, "No matching runs to cancel. Please verify the thread ID and run IDs are correct, "+
			"and the runs haven't been deleted or completed.")
	case err != nil:
		return err
	}
	locate(c, r, "/join", false)
	if !wait {
		return c.Answer(struct{}{})
	}
	// The run is cancelled even if the owner has too many streams to wait for its end.
	return h.Stream(c.Call, func() (door.Reply, error) { return func() error { return h.awaitCancelled(c, r) }, nil })
}

// awaitCancelled answers when a run that was cancelled is over.
func (h *Handler) awaitCancelled(c *call, r *runs.Run) error {
	_, begun, err := h.Await(c.Call, r.ID, 1)
	switch {
	case errors.Is(err, door.ErrLeft):
		return h.left(c, r, false)
	case errors.Is(err, runs.ErrNoRun): // it was rolled back
	case errors.Is(err, door.ErrStopping) && !begun:
		return stopping(err)
	case err != nil && !begun:
		return err
	case err != nil:
		access.Note(c.R.Context(), err)
		panic(http.ErrAbortHandler) // an answer would say that the run is over
	}
	return c.Finish(struct{}{}, begun)
}

// runsCancel names runs: those with ids in a thread, or all with a status.
type runsCancel struct {
	Status   *string  `json:"status" pattern:"^(?i:pending|running|all)$" jsonschema:"pending, running or all; not together with the other members."`
	ThreadID *string  `json:"thread_id" format:"uuid"`
	RunIDs   []string `json:"run_ids"`
}

// cancelRuns cancels several runs: those that are named, or those of the owner's threads with a status.
func (h *Handler) cancelRuns(c *call) error {
	how, err := c.cancelAction()
	if err != nil {
		return err
	}
	var body runsCancel
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	var ids []string
	switch {
	case body.Status != nil && (body.ThreadID != nil || body.RunIDs != nil):
		return unprocessable("status cannot be combined with thread_id and run_ids")
	case body.Status != nil:
		if ids, err = h.runsWith(c, *body.Status); err != nil {
			return err
		}
	case body.ThreadID == nil || len(body.RunIDs) == 0:
		return unprocessable("name the runs with thread_id and run_ids, or all of them with status")
	default:
		thread, err := readID(*body.ThreadID, "thread")
		if err != nil {
			return err
		}
		for _, text := range body.RunIDs {
			id, err := readID(text, "run")
			if err != nil {
				return err
			}
			if _, err := h.runIn(c, thread, id); err != nil {
				return detail.Errorf(http.StatusNotFound, "No runs found to cancel.")
			}
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		_, err := h.Service.Cancel(c.R.Context(), c.Owner, id, how)
		if err != nil && !errors.Is(err, runs.ErrRunOver) && !errors.Is(err, runs.ErrNoRun) {
			return err
		}
	}
	return c.Done()
}

// runsWith returns the ids of the owner's runs that are not over and have a status; "all" is any.
func (h *Handler) runsWith(c *call, status string) (ids []string, err error) {
	var wanted []runs.Status
	switch strings.ToLower(status) {
	case "pending":
		wanted = []runs.Status{runs.Pending}
	case "running":
		wanted = []runs.Status{runs.Running}
	case "all":
		wanted = []runs.Status{runs.Pending, runs.Running}
	default:
		return nil, unprocessable("'%.64s' is not one of ['pending', 'running', 'all']\n\nOn instance[\"status\"]", status)
	}
	for offset := 0; ; offset += runs.MaxPage {
		q := &runs.ThreadQuery{Status: runs.ThreadBusy, Page: runs.Page{Limit: runs.MaxPage, Offset: offset, Sort: runs.SortID}}
		threads, _, err := h.Service.FindThreads(c.R.Context(), c.Owner, q)
		if err != nil || len(threads) == 0 {
			return ids, err
		}
		for i := range threads {
			for _, s := range wanted {
				found, err := h.Service.FindRuns(c.R.Context(), c.Owner, threads[i].ID, &runs.RunQuery{Status: s, Limit: runs.MaxPage})
				if err != nil && !errors.Is(err, runs.ErrNoThread) {
					return nil, err
				}
				for j := range found {
					ids = append(ids, found[j].ID)
				}
			}
		}
	}
}
