package main

import (
	"context"
	"fmt"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// sessions are what the runs leave, each in one of its own.
type sessions struct {
	service session.Service
	last    int
}

// next returns the id of a new session. If there are messages before the run's own it has them already, or else the runner creates it.
func (s *sessions) next(ctx context.Context, before int) (string, error) {
	s.last++
	id := fmt.Sprint("session", s.last)
	if before == 0 {
		return id, nil
	}
	created, err := s.service.Create(ctx, &session.CreateRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		return "", err
	}
	for i := range before {
		event := session.NewEvent(ctx, "before")
		event.Author, event.Content = user, genai.NewContentFromText(fmt.Sprint("message ", i), genai.RoleUser)
		if i%2 == 1 {
			event.Author, event.Content.Role = assistant, genai.RoleModel
		}
		if err := s.service.AppendEvent(ctx, created.Session, event); err != nil {
			return "", err
		}
	}
	return id, nil
}

// take reads a session back and deletes it. It returns how many messages it has, a tool's result being one, and the last one's text.
func (s *sessions) take(ctx context.Context, id string) (messages int, last string, err error) {
	got, err := s.service.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		return 0, "", err
	}
	for event := range got.Session.Events().All() {
		if event.Content == nil {
			continue
		}
		results := 0
		for _, part := range event.Content.Parts {
			if part.FunctionResponse != nil {
				results++
			}
			last = part.Text
		}
		messages += max(results, 1)
	}
	return messages, last, s.service.Delete(ctx, &session.DeleteRequest{AppName: app, UserID: user, SessionID: id})
}
