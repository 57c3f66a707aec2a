package builtin

import (
	"context"
	_ "embed" // the prompt
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
// The skills are read once in a thread, when its first run begins; later changes are seen in new threads. Skills that
// violate the specification (https://agentskills.io/specification) are used with a warning if possible: a name that differs
// from the directory's or has other characters, or frontmatter that is not quite YAML. A description is cut after 1,024
// characters. A file that lacks a name or description, has more than 10 MiB or cannot be read is skipped with a warning. At
// most 256 skills are used.
//
// Behaviour is that of deepagents' SkillsMiddleware, with different wording in the prompt. Names and descriptions are shown on
// one line. Invalid YAML frontmatter is read line by line, where the original skips the skill.
type Skills struct {
	// Sources are the directories of skills, as absolute paths below root. If several skills have the same name, the one from the
	// last source counts. A missing directory has no skills. Required.
	Sources []string `yaml:"sources"`
	// Root is the directory of the disk that is "/" in the paths; nothing outside it can be reached. "": the files in the
	// state of the thread, where the filesystem middleware without a root keeps them, unless there is a backend.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// SystemPrompt is added after the system prompt, as a block of its own, with {skills_locations} and {skills_list}. nil:
	// a text that explains how to use skills; "": nothing is added.
	SystemPrompt *string `yaml:"system_prompt"`
}

var skillsEntry = Entry{
	Name:    "skills",
	Summary: "tells the model which skills there are, whose instructions it reads when it needs them",
	Example: `- skills:
    sources: [/skills/base, /skills/own]
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
	sources, err := cleanPaths("sources", "/skills", s.Sources)
	if err != nil {
		return nil, err
	}
	prompt := strings.TrimSpace(skillsPrompt)
	if s.SystemPrompt != nil {
		prompt = *s.SystemPrompt
	}
	l := &skillLibrary{
		sources: sources, logger: env.Logger,
		skills: host.NewField[[]skillfile.Skill](ownField("skills_metadata", "skills", env.Name), host.Hidden),
		errors: host.NewField[[]string](ownField("skills_load_errors", "skills", env.Name), host.Hidden),
	}
	if l.prompt, err = newTemplate("system_prompt", prompt, "{skills_locations}", "{skills_list}"); err != nil {
		return nil, err
	}
	if prompt != "" && !strings.Contains(prompt, "{skills_list}") {
		return nil, errors.New("system_prompt must contain {skills_list}")
	}
	if l.source, err = openFileSource(ctx, &env, s.Root, s.Backend, backend.Options{}); err != nil {
		return nil, err
	}
	hooks := &host.Hooks{
		BeforeAgent: host.NodeHook{Func: l.beforeAgent}, State: []host.Field{l.skills.Field, l.errors.Field},
	}
	if prompt != "" {
		hooks.WrapModelCall = host.WrapModelHook{Func: l.wrapModel, PassesTokens: true}
	}
	l.source.install(hooks)
	return hooks, nil
}

// skillLibrary is a [Skills] in its agent.
type skillLibrary struct {
	sources []string
	source  *fileSource
	prompt  template
	logger  *slog.Logger
	skills  host.TypedField[[]skillfile.Skill]
	errors  host.TypedField[[]string]

	unreadable sync.Once
}

// beforeAgent reads the skills once in a thread.
func (l *skillLibrary) beforeAgent(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	if !rt.State().Get(l.skills.Name).IsZero() {
		return nil, nil
	}
	files, err := l.source.files(rt)
	if err != nil {
		return nil, err
	}
	r := &skillReader{files: files}
	for _, source := range l.sources {
		if err := r.read(ctx, source); err != nil {
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
	if len(r.failed) == 0 {
		return update, nil
	}
	return update, l.errors.Set(update, r.failed)
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

// wrapModel adds the list of skills to the system prompt.
func (l *skillLibrary) wrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	skills, _, err := l.skills.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	text := l.prompt.fill(l.locations(), l.list(skills))
	resp, err := next(ctx, req.WithSystem(appendSystem(req.System, text)))
	return resp, nil, err
}

// locations formats the directories of skills.
func (l *skillLibrary) locations() string {
	lines := make([]string, len(l.sources))
	for i, source := range l.sources {
		name := path.Base(source)
		first, size := utf8.DecodeRuneInString(name)
		lines[i] = "**" + string(unicode.ToUpper(first)) + name[size:] + " Skills**: `" + source + "`"
	}
	if len(lines) > 1 {
		lines[len(lines)-1] += " (higher priority)"
	}
	return strings.Join(lines, "\n")
}

// list formats the skills.
func (l *skillLibrary) list(skills []skillfile.Skill) string {
	if len(skills) == 0 {
		return fmt.Sprintf("(No skills available yet. You can create skills in %s)", strings.Join(l.sources, " or "))
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
