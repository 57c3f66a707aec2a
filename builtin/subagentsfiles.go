package builtin

import (
	"errors"
	"slices"

	"github.com/agenthost/agenthost/host"
)

// filesAndSkills returns the subagent's middleware with what its keys skills and permissions ask for, which takes over the place of
// files from the agent.
func (s *subagentSpec) filesAndSkills(env *host.Env, middleware []host.Middleware) ([]host.Middleware, error) {
	if s.Permissions != nil {
		own, at := configOf[Filesystem](s.Middleware)
		if at >= 0 && len(own.Permissions) > 0 {
			return nil, &SubagentError{s.index, "permissions", errors.New("its own filesystem has permissions, too; use one of them")}
		}
		if middleware, at = withFilesystem(env, middleware); at < 0 {
			return nil, &SubagentError{s.index, "permissions", errors.New("neither the subagent nor the agent has the middleware filesystem; add it")}
		}
		files, _ := configOf[Filesystem](middleware[at : at+1])
		files.Permissions = s.Permissions
		middleware[at] = files
	}
	if len(s.Skills) == 0 {
		return middleware, nil
	}
	if _, at := configOf[Skills](middleware); at >= 0 {
		return nil, &SubagentError{s.index, "skills", errors.New("its middleware has skills, too; use one of them")}
	}
	middleware, _ = withFilesystem(env, middleware)
	skills, at := configOf[Skills](env.Middleware)
	if at < 0 {
		skills = &Skills{}
		if files, at := configOf[Filesystem](middleware); at >= 0 {
			skills.Root, skills.Backend = files.Root, files.Backend
		}
	}
	skills.Sources, skills.ToolNames, skills.Tools = s.Skills, nil, nil
	return append(middleware, skills), nil
}

// withFilesystem returns middleware with a filesystem, and its index: its own or, in front, one like the agent's. The index is -1 if
// neither has one.
func withFilesystem(env *host.Env, middleware []host.Middleware) ([]host.Middleware, int) {
	if _, at := configOf[Filesystem](middleware); at >= 0 {
		return slices.Clone(middleware), at
	}
	files, at := configOf[Filesystem](env.Middleware)
	if at < 0 {
		return middleware, -1
	}
	return slices.Insert(slices.Clone(middleware), 0, host.Middleware(files)), 0
}

// configOf returns a copy of the first configuration of a type in a list, and its index; -1 if there is none.
func configOf[T any](list []host.Middleware) (*T, int) {
	for i, m := range list {
		if m == nil {
			continue
		}
		switch config := any(host.Unwrapped(m)).(type) {
		case *T:
			out := *config
			return &out, i
		case T:
			return &config, i
		}
	}
	return nil, -1
}
