package host

import "fmt"

// ConfigSubject is the part of a [Config] that a [ConfigError] is about.
type ConfigSubject struct {
	Kind  ConfigSubjectKind
	Name  string // name of the middleware, tool, step or hooks; "" if there is only one such subject
	Index int    // index of a middleware in Config.Middleware
}

// ConfigSubjectKind is the kind of a [ConfigSubject].
type ConfigSubjectKind uint8

// The kinds of subjects.
const (
	SubjectAgent          ConfigSubjectKind = iota // the Config as a whole
	SubjectMiddleware                              // an entry of Config.Middleware
	SubjectStep                                    // a hook of a middleware that is a step
	SubjectHooks                                   // all wrap hooks of one kind
	SubjectTool                                    // a tool
	SubjectBreakpoint                              // an entry of Config.InterruptBefore or InterruptAfter
	SubjectState                                   // Config.State
	SubjectResponseFormat                          // Config.ResponseFormat
	SubjectToolCalls                               // Config.ToolCalls
	SubjectContextSchema                           // Config.ContextSchema
	SubjectRequest                                 // a model request that a hook has changed
	SubjectClientTool                              // an entry of Input.ClientTools
)

// String describes the subject as errors do, such as `middleware "x"`.
func (s ConfigSubject) String() string {
	switch s.Kind {
	case SubjectMiddleware:
		if s.Name == "" {
			return fmt.Sprintf("middleware %d of the list", s.Index)
		}
		return fmt.Sprintf("middleware %q", s.Name)
	case SubjectStep:
		return stepSubject(s.Name)
	case SubjectHooks:
		return s.Name + " hooks"
	case SubjectTool:
		return fmt.Sprintf("tool %q", s.Name)
	case SubjectBreakpoint:
		return fmt.Sprintf("breakpoint %q", s.Name)
	case SubjectState:
		return "the agent's State"
	case SubjectResponseFormat:
		return "ResponseFormat"
	case SubjectToolCalls:
		return "ToolCalls"
	case SubjectContextSchema:
		return "ContextSchema"
	case SubjectRequest:
		return "model request"
	case SubjectClientTool:
		return fmt.Sprintf("client tool %q", s.Name)
	default:
		return "agent"
	}
}
