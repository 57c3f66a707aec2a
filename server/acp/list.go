package acp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

const (
	pageSize = 30
	maxTitle = 80 // characters
)

// listSessions lists the threads, those that were used last first. With a directory, it lists those that an editor began there.
func (s *Server) listSessions(params *protocol.ListRequest) (perform, error) {
	var after *place
	if params.Cursor != "" {
		var err error
		if after, err = parsePlace(params.Cursor); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (*rpc.Answer, error) {
		list, err := s.list(ctx, params.Directory, after)
		return &rpc.Answer{Result: list}, err
	}, nil
}

func (s *Server) list(ctx context.Context, dir string, after *place) (*protocol.ListResponse, error) {
	var places []place
	for info, err := range checkpoint.AllThreads(ctx, s.threads(), checkpoint.Query{}) {
		if err != nil {
			return nil, err
		}
		at := place{info.Updated.UnixMicro(), info.Thread}
		if info.Err == nil && (after == nil || at.compare(*after) > 0) {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, place.compare)
	out := &protocol.ListResponse{Sessions: []protocol.SessionInfo{}}
	for i := range places {
		info, err := s.info(ctx, places[i].thread)
		switch {
		case errors.Is(err, checkpoint.ErrNoThread): // it was removed just now
			continue
		case err != nil:
			return nil, err
		case dir != "" && info.Directory != dir:
			continue
		}
		info.Directory = cmp.Or(info.Directory, s.config.Directory)
		if len(out.Sessions) == pageSize {
			out.NextCursor = places[i-1].String()
			break
		}
		out.Sessions = append(out.Sessions, *info)
	}
	return out, nil
}

// info describes a thread.
func (s *Server) info(ctx context.Context, thread string) (*protocol.SessionInfo, error) {
	at, err := s.base.State(ctx, thread, 0)
	if err != nil {
		return nil, err
	}
	return &protocol.SessionInfo{SessionID: thread, Directory: directoryOf(at.State), Title: titleOf(at), UpdatedAt: moment(at.Time)}, nil
}

// shortTitle makes a title of a message.
func shortTitle(message string) string { return text.Clean(text.Cut(text.OneLine(message), maxTitle)) }

// place is a place in the list.
type place struct {
	updated int64 // microseconds
	thread  string
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(other.updated, p.updated), strings.Compare(p.thread, other.thread))
}

func (p place) String() string { return strconv.FormatInt(p.updated, 10) + " " + p.thread }

func parsePlace(cursor string) (*place, error) {
	number, thread, ok := strings.Cut(cursor, " ")
	updated, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "cursor: this list did not give it; begin without one")
	}
	return &place{updated, thread}, nil
}
