package memory

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/internal/rule"
)

// assistant has all versions of an assistant, from the first.
type assistant struct {
	versions []*runs.Assistant
	used     int // version
}

func (a *assistant) present() *runs.Assistant { return a.versions[a.used-1] }

// CreateAssistant adds an assistant, see [runs.Assistants].
func (s *Store) CreateAssistant(ctx context.Context, a *runs.Assistant) error {
	row, err := rule.CreateAssistant(a, s.now())
	if err != nil {
		return err
	}
	if err := s.begin(ctx, a.Owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.assistants[a.Owner][a.ID] != nil {
		return runs.ErrExists
	}
	put(s.assistants, a.Owner, a.ID, &assistant{[]*runs.Assistant{row}, 1})
	a.Version, a.Created, a.Updated = row.Version, row.Created, row.Updated
	return nil
}

// Assistant returns an assistant, see [runs.Assistants].
func (s *Store) Assistant(ctx context.Context, owner, id string) (*runs.Assistant, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	a := s.assistants[owner][id]
	if a == nil {
		return nil, runs.ErrNoAssistant
	}
	return a.present().Copy(), nil
}

// ChangeAssistant adds a version, see [runs.Assistants].
func (s *Store) ChangeAssistant(ctx context.Context, owner, id string, change func(a *runs.Assistant) error) (*runs.Assistant, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	a := s.assistants[owner][id]
	if a == nil {
		return nil, runs.ErrNoAssistant
	}
	next, err := rule.ChangeAssistant(a.present(), len(a.versions)+1, s.now(), change)
	if err != nil {
		return nil, err
	}
	a.versions, a.used = append(a.versions, next), next.Version
	return next.Copy(), nil
}

// UseVersion changes the version that is used, see [runs.Assistants].
func (s *Store) UseVersion(ctx context.Context, owner, id string, version int) (*runs.Assistant, error) {
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	a := s.assistants[owner][id]
	switch {
	case a == nil:
		return nil, runs.ErrNoAssistant
	case version < 1 || version > len(a.versions):
		return nil, runs.ErrNoVersion
	}
	a.used = version
	a.present().Updated = runs.Moment(s.now())
	return a.present().Copy(), nil
}

// Versions returns versions of an assistant, see [runs.Assistants].
func (s *Store) Versions(ctx context.Context, owner, id string, metadata runs.Metadata, limit, offset int) (found []runs.Assistant, err error) {
	if err := runs.CheckVersions(metadata, limit, offset); err != nil {
		return nil, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	a := s.assistants[owner][id]
	if a == nil {
		return nil, runs.ErrNoAssistant
	}
	var rows []*runs.Assistant
	for _, version := range slices.Backward(a.versions) {
		if version.Metadata.Contains(metadata) {
			rows = append(rows, version)
		}
	}
	for _, version := range part(rows, limit, offset) {
		found = append(found, *version.Copy())
	}
	return found, nil
}

// FindAssistants returns a page of assistants, see [runs.Assistants].
func (s *Store) FindAssistants(ctx context.Context, owner string, q *runs.AssistantQuery) (found []runs.Assistant, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	if err := s.begin(ctx, owner); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	var rows []row[*runs.Assistant]
	for id, held := range s.assistants[owner] {
		a := held.present()
		if q.Selects(a) {
			rows = append(rows, row[*runs.Assistant]{id, assistantKey(a, q.Sort), a})
		}
	}
	total = page(rows, &q.Page, func(a *runs.Assistant) { found = append(found, *a.Copy()) })
	return found, total, nil
}

func assistantKey(a *runs.Assistant, sort runs.Sort) key {
	switch sort {
	case runs.SortID:
		return key{text: a.ID}
	case runs.SortUpdated:
		return key{time: a.Updated}
	case runs.SortName:
		return key{text: a.Name}
	case runs.SortAgent:
		return key{text: a.Agent}
	default:
		return key{time: a.Created}
	}
}

// DeleteAssistant removes an assistant, see [runs.Assistants].
func (s *Store) DeleteAssistant(ctx context.Context, owner, id string) error {
	if err := s.begin(ctx, owner); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.assistants[owner][id] == nil {
		return runs.ErrNoAssistant
	}
	drop(s.assistants, owner, id)
	for schedule, row := range s.schedules[owner] {
		if row.Assistant == id {
			drop(s.schedules, owner, schedule)
		}
	}
	return nil
}
