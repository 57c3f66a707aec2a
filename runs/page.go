package runs

import (
	"fmt"
	"slices"
)

// Page is one page of a list. Rows that are equal in what they are sorted by are in the order of their ids.
type Page struct {
	Limit  int // at most this many; 0: DefaultPage, and never more than MaxPage
	Offset int
	Sort   Sort // "": by the time of creation
	// Ascending sorts the smallest, or the oldest, first.
	Ascending bool
}

// How many rows a page has by default, and at most.
const (
	DefaultPage = 10
	MaxPage     = 1000
)

// Sort is what a list is sorted by. Texts are compared byte by byte; a time that is not set comes before all others.
type Sort string

// What lists can be sorted by. Assistants have names and threads have statuses; sorting a list by what its rows lack is an error.
const (
	SortID      Sort = "id"
	SortCreated Sort = "created"
	SortUpdated Sort = "updated"
	SortStepped Sort = "stepped"
	SortStatus  Sort = "status"
	SortName    Sort = "name"
	SortAgent   Sort = "agent"
	SortNext    Sort = "next" // of schedules: when they fire next
)

// PageSize returns how many rows a limit allows.
func PageSize(limit int) int {
	if limit == 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

func checkPage(limit, offset int) error {
	if limit < 0 || offset < 0 {
		return fmt.Errorf("the limit is %d and the offset %d; neither can be negative: %w", limit, offset, ErrBadQuery)
	}
	return nil
}

func (p *Page) check(sorts ...Sort) error {
	if err := checkPage(p.Limit, p.Offset); err != nil {
		return err
	}
	if p.Sort != "" && !slices.Contains(sorts, p.Sort) {
		return fmt.Errorf("the list cannot be sorted by %s; use one of %q: %w", quoted(string(p.Sort)), sorts, ErrBadQuery)
	}
	return nil
}

// badMetadata returns the error for metadata that a query looks for and no row can have.
func badMetadata(m Metadata) error {
	if err := m.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrBadQuery, err)
	}
	return nil
}

// Check returns an error that wraps [ErrBadQuery] if no store can answer the query.
func (q *ThreadQuery) Check() error {
	if err := first(q.check(SortID, SortCreated, SortUpdated, SortStepped, SortStatus, SortAgent), badMetadata(q.Metadata)); err != nil {
		return err
	}
	if len(q.IDs) > MaxPage {
		return fmt.Errorf("the query has %d ids; at most %d are possible: %w", len(q.IDs), MaxPage, ErrBadQuery)
	}
	if q.Status != "" && !q.Status.valid() {
		return fmt.Errorf("threads have no status %s: %w", quoted(string(q.Status)), ErrBadQuery)
	}
	return nil
}

// Check returns an error that wraps [ErrBadQuery] if no store can answer the query.
func (q *RunQuery) Check() error {
	if q.Status != "" && !q.Status.valid() {
		return fmt.Errorf("runs have no status %s: %w", quoted(string(q.Status)), ErrBadQuery)
	}
	return checkPage(q.Limit, q.Offset)
}

// Check returns an error that wraps [ErrBadQuery] if no store can answer the query.
func (q *AssistantQuery) Check() error {
	return first(
		q.check(SortID, SortCreated, SortUpdated, SortName, SortAgent), badMetadata(q.Metadata),
		badText("agent", q.Agent), badText("name", q.Name),
	)
}

// Check returns an error that wraps [ErrBadQuery] if no store can answer the query.
func (q *ScheduleQuery) Check() error {
	return first(
		q.check(SortID, SortCreated, SortUpdated, SortNext), badMetadata(q.Metadata),
		badText("assistant", q.Assistant), badText("thread", q.Thread),
	)
}

// CheckVersions returns an error that wraps [ErrBadQuery] if no store can return such versions of an assistant.
func CheckVersions(metadata Metadata, limit, offset int) error {
	return first(checkPage(limit, offset), badMetadata(metadata))
}

func badText(what, text string) error {
	if err := checkName("the "+what, text, 0, MaxName); err != nil {
		return fmt.Errorf("%w: %w", ErrBadQuery, err)
	}
	return nil
}
