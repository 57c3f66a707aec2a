package builtin

import (
	"context"
	_ "embed" // the prompt
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/skillfile"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model"
)

// Skills tells the model about skills. A skill is a directory with a file SKILL.md, which begins with YAML frontmatter
// (name, description and a few more keys) and continues with instructions. The system prompt lists names, descriptions and
// paths. The model reads the instructions when it needs them, so the agent needs a tool that reads files: the filesystem
// middleware with the same root accepts the listed paths.
//
// The skills are read once in a thread, when its first run begins. A run whose input sets the field skills_metadata to null reads
// them anew. Skills that violate the specification (https://agentskills.io/specification) are used with a warning if possible: a name that differs
// from the directory's or has other characters, or frontmatter that is not quite YAML. A description is cut after 1,024
// characters. A file that lacks a name or description, has more than 10 MiB or cannot be read is skipped with a warning. At
// most 256 skills are used. The prompt tells the model which were skipped. If a directory cannot be listed because the place of the files
// fails, such as a store, the run fails, and the next one tries again.
//
// To give the model the instructions of certain skills in any case, set the field pinned_skills of a run's input to a list of
// their names: before the next model call, the text of each SKILL.md, of at most 1 MiB, is appended as a human message.
//
// A skill may bring tools: its frontmatter lists them in metadata.include_tools, with spaces between the names, and tools lists
// those that depend on a skill. The model gets such a tool when it has read the SKILL.md with read_file, or when the skill was
// pinned, and as long as the result of that call or the pinned message is in what it is sent. Before, the tool is unknown to it.
// Subagents do not get these tools from the agent, unless their own skills list them. A tool with defer_loading that a skill lists
// need not be looked for any more.
//
// Behaviour is that of deepagents 0.7.32's SkillsMiddleware, with different wording in the prompt. Names and descriptions are
// shown on one line. Invalid YAML frontmatter is read line by line, where the original skips the skill. New tools are added to the
// tools of the request, also for models that could take them in the middle of a conversation.
type Skills struct {
	// Sources are the directories of skills: absolute paths below root, or mappings of a path and a label, the name of the directory
	// in the prompt. If several skills have the same name, the one from the last source counts. A missing directory has no skills.
	// Required.
	Sources []SkillSource `yaml:"sources"`
	// Root is the directory of the disk that is "/" in the paths; nothing outside it can be reached. "": the files in the
	// state of the thread, where the filesystem middleware without a root keeps them, unless there is a backend.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store, sandbox or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// SystemPrompt is added after the system prompt, as a block of its own, with {skills_locations}, {skills_load_warnings} and
	// {skills_list}. nil: a text that explains how to use skills; "": nothing is added.
	SystemPrompt *string `yaml:"system_prompt"`
	// ToolNames are the tools of the agent that the model gets only with a skill that lists them. Not given: none. In Go, use Tools for
	// others.
	ToolNames []string `yaml:"tools" strict:"optional"`

	Tools []host.Tool `yaml:"-"` // more tools that the model gets only with a skill
}

var skillsEntry = Entry{
	Name:    "skills",
	Summary: "tells the model which skills there are, whose instructions it reads when it needs them",
	Example: `- skills:
    sources: [/skills/base, {path: /skills/own, label: Team}]
    root: .
`,
	New: func() host.Middleware { return &Skills{} },
}

//go:embed prompts/skills.md
var skillsPrompt string

// The bounds of an agent's skills.
const (
	maxSkills    = 256
	maxSkillFile = 10 << 20 // bytes
)

// Name returns "skills".
func (s Skills) Name() string { return "skills" }

// ResolvePaths resolves the root.
func (s Skills) ResolvePaths(resolve func(path string) string) host.Middleware {
	if s.Root != "" {
		s.Root = resolve(s.Root)
	}
	s.Backend = s.Backend.resolved(resolve)
	return s
}

// Hooks checks the configuration and opens the root.
func (s Skills) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	sources, err := cleanSources(s.Sources)
	if err != nil {
		return nil, err
	}
	prompt := strings.TrimSpace(skillsPrompt)
	if s.SystemPrompt != nil {
		prompt = *s.SystemPrompt
	}
	l := &skillLibrary{
		sources: sources, logger: env.Logger,
		skills: host.NewField[[]skillfile.Skill](ownField("skills_metadata", "skills", env.Name), hideOutput),
		errors: host.NewField[[]string](ownField("skills_load_errors", "skills", env.Name), host.Hidden),
	}
	if l.prompt, err = newTemplate("system_prompt", prompt, "{skills_locations}", "{skills_load_warnings}", "{skills_list}"); err != nil {
		return nil, err
	}
	if prompt != "" && !strings.Contains(prompt, "{skills_list}") {
		return nil, errors.New("system_prompt must contain {skills_list}")
	}
	if l.pinned, err = pinnedSkills(ownField("pinned_skills", "skills", env.Name)); err != nil {
		return nil, err
	}
	if l.tools, err = newSkillTools(&s, ownField("skill_tools_disclosed", "skills", env.Name)); err != nil {
		return nil, err
	}
	if l.source, err = openFileSource(ctx, &env, s.Root, s.Backend, backend.Options{}); err != nil {
		return nil, err
	}
	hooks := &host.Hooks{
		BeforeAgent: host.NodeHook{Func: l.beforeAgent}, BeforeModel: host.NodeHook{Func: l.beforeModel},
		State: []host.Field{l.skills.Field, l.errors.Field, l.pinned.Field},
	}
	if l.tools != nil {
		l.tools.install(hooks)
		hooks.Order = []host.Order{outsideOfCaching}
	}
	hooks.WrapModelCall = host.WrapModelHook{Func: l.wrapModel, PassesTokens: true}
	l.source.install(hooks)
	return hooks, nil
}

// skillLibrary is a [Skills] in its agent.
type skillLibrary struct {
	sources []SkillSource
	source  *fileSource
	prompt  template
	logger  *slog.Logger
	skills  host.TypedField[[]skillfile.Skill]
	errors  host.TypedField[[]string]
	pinned  host.TypedField[[]string]
	tools   *skillTools // may be nil

	unreadable sync.Once
}

// beforeAgent reads the skills once in a thread, and again if the caller asks for it.
func (l *skillLibrary) beforeAgent(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	if !rt.State().Get(l.skills.Name).IsNil() {
		return nil, nil
	}
	files, err := l.source.files(rt)
	if err != nil {
		return nil, err
	}
	r := &skillReader{files: files}
	for _, source := range l.sources {
		if err := r.read(ctx, source.Path); err != nil {
			return nil, err
		}
	}
	for _, warning := range r.warnings {
		rt.Warn("skills: " + warning)
	}
	update, skills := &host.Update{}, r.latest()
	if err := l.skills.Set(update, skills); err != nil {
		return nil, err
	}
	if len(skills) > 0 {
		l.checkTools(rt)
	}
	if len(r.failed) == 0 && rt.State().Get(l.errors.Name).IsZero() {
		return update, nil
	}
	return update, l.errors.Set(update, append([]string{}, r.failed...)) // not nil, so that earlier ones are forgotten
}

// checkTools warns once if the agent seems to have no tool that reads files.
func (l *skillLibrary) checkTools(rt *host.Runtime) {
	if slices.ContainsFunc(rt.Tools(), func(t abi.ToolSpec) bool { return t.Name == "read_file" || t.Name == "shell" }) {
		return
	}
	l.unreadable.Do(func() {
		l.logger.Warn("the agent has skills, but no tool read_file to read them; add the filesystem middleware with the same root")
	})
}

// wrapModel adds the list of skills to the system prompt, and the tools of those that were read.
func (l *skillLibrary) wrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	skills, _, err := l.skills.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	failed, _, err := l.errors.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	req = req.WithSystem(appendSystem(req.System, l.prompt.fill(l.locations(), skillWarnings(failed), l.list(skills))))
	included := includedTools(req.Messages, skills)
	req = withoutDeferral(req, included)
	if l.tools == nil {
		resp, err := next(ctx, req)
		return resp, nil, err
	}
	req, given := l.tools.offer(req, included)
	resp, err := next(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	update, err := l.tools.record(rt, given)
	return resp, update, err
}

// locations formats the directories of skills.
func (l *skillLibrary) locations() string {
	lines := make([]string, len(l.sources))
	for i, source := range l.sources {
		lines[i] = "**" + source.Label + " Skills**: `" + source.Path + "`"
	}
	if len(lines) > 1 {
		lines[len(lines)-1] += " (higher priority)"
	}
	return strings.Join(lines, "\n")
}

// list formats the skills.
func (l *skillLibrary) list(skills []skillfile.Skill) string {
	if len(skills) == 0 {
		paths := make([]string, len(l.sources))
		for i, source := range l.sources {
			paths[i] = source.Path
		}
		return fmt.Sprintf("(No skills available yet. You can create skills in %s)", strings.Join(paths, " or "))
	}
	var b strings.Builder
	for i := range skills {
		s := &skills[i]
		var notes []string
		if s.License != "" {
			notes = append(notes, "License: "+s.License)
		}
		if s.Compatibility != "" {
			notes = append(notes, "Compatibility: "+s.Compatibility)
		}
		fmt.Fprintf(&b, "- **%s**: %s", s.Name, s.Description)
		if len(notes) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(notes, ", "))
		}
		if len(s.AllowedTools) > 0 {
			fmt.Fprintf(&b, "\n  -> Allowed tools: %s", strings.Join(s.AllowedTools, ", "))
		}
		fmt.Fprintf(&b, "\n  -> Read `%s` for full instructions\n", s.Path)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
