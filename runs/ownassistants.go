package runs

import (
	"context"
	"fmt"
	"slices"
)

// Assistant returns the version of an assistant that is used, or [ErrNoAssistant]. The assistants that stand for agents belong to everybody, and
// nobody can change them.
func (s *Service) Assistant(ctx context.Context, owner, id string) (*Assistant, error) {
	if own := s.ownAssistant(id); own != nil {
		return own, nil
	}
	return s.store.Assistant(ctx, owner, id)
}

// Resolve returns an assistant by its id, or the one that stands for an agent of this name. The error is [ErrNoAssistant].
func (s *Service) Resolve(ctx context.Context, owner, idOrAgent string) (*Assistant, error) {
	if slices.Contains(s.names, idOrAgent) {
		idOrAgent = AssistantID(idOrAgent)
	}
	return s.Assistant(ctx, owner, idOrAgent)
}

func (s *Service) ownAssistant(id string) *Assistant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.own {
		if s.own[i].ID == id {
			return s.own[i].Copy()
		}
	}
	return nil
}

// CreateAssistant adds an assistant, or returns [ErrExists] or [ErrNoAgent].
func (s *Service) CreateAssistant(ctx context.Context, a *Assistant) error {
	if _, err := s.Agent(a.Agent); err != nil {
		return err
	}
	if s.ownAssistant(a.ID) != nil {
		return ErrExists
	}
	return s.store.CreateAssistant(ctx, a)
}

// ChangeAssistant adds a version to an assistant, see [Assistants]. The error is [ErrOwnAssistant] for one that stands for an agent, and
// [ErrNoAgent] if the change names an agent that is not there.
func (s *Service) ChangeAssistant(ctx context.Context, owner, id string, change func(a *Assistant) error) (*Assistant, error) {
	if err := s.changeable(id); err != nil {
		return nil, err
	}
	return s.store.ChangeAssistant(ctx, owner, id, func(a *Assistant) error {
		if err := change(a); err != nil {
			return err
		}
		_, err := s.Agent(a.Agent)
		return err
	})
}

// UseVersion makes a version of an assistant the one that is used.
func (s *Service) UseVersion(ctx context.Context, owner, id string, version int) (*Assistant, error) {
	if own := s.ownAssistant(id); own != nil {
		if version != own.Version {
			return nil, ErrNoVersion
		}
		return own, nil
	}
	return s.store.UseVersion(ctx, owner, id, version)
}

// Versions returns versions of an assistant, the newest first.
func (s *Service) Versions(ctx context.Context, owner, id string, metadata Metadata, limit, offset int) ([]Assistant, error) {
	own := s.ownAssistant(id)
	if own == nil {
		return s.store.Versions(ctx, owner, id, metadata, limit, offset)
	}
	if err := CheckVersions(metadata, limit, offset); err != nil {
		return nil, err
	}
	if offset > 0 || !own.Metadata.Contains(metadata) {
		return nil, nil
	}
	return []Assistant{*own}, nil
}

// DeleteAssistant removes an assistant. The error is [ErrOwnAssistant] for one that stands for an agent.
func (s *Service) DeleteAssistant(ctx context.Context, owner, id string) error {
	if err := s.changeable(id); err != nil {
		return err
	}
	return s.store.DeleteAssistant(ctx, owner, id)
}

func (s *Service) changeable(id string) error {
	if own := s.ownAssistant(id); own != nil {
		return fmt.Errorf("%w: %s; make an assistant of your own for it", ErrOwnAssistant, own.Agent)
	}
	return nil
}

// FindAssistants returns a page of assistants, and how many there are on all pages. Those that stand for agents come first, by their names,
// however the others are sorted.
func (s *Service) FindAssistants(ctx context.Context, owner string, q *AssistantQuery) (page []Assistant, total int, err error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	own := s.selected(q)
	limit := PageSize(q.Limit)
	own, count := own[min(q.Offset, len(own)):], len(own)
	own = own[:min(limit, len(own))]
	rest := *q
	rest.Offset, rest.Limit = max(0, q.Offset-count), max(1, limit-len(own))
	stored, total, err := s.store.FindAssistants(ctx, owner, &rest)
	if err != nil {
		return nil, 0, err
	}
	if len(own) == limit {
		stored = nil
	}
	return slices.Concat(own, stored), count + total, nil
}

// selected returns the assistants that stand for agents and that a query selects.
func (s *Service) selected(q *AssistantQuery) (own []Assistant) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.own {
		if a := &s.own[i]; q.Selects(a) {
			own = append(own, *a.Copy())
		}
	}
	return own
}
