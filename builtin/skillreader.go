package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/agenthost/agenthost/builtin/internal/skillfile"
	"github.com/agenthost/agenthost/host/backend"
)

// skillReader reads the skills of several sources.
type skillReader struct {
	files    backend.Reader
	skills   []skillfile.Skill // in the order in which they were found
	warnings []string          // including those about failures
	failed   []string          // skipped skills with reasons
}

// The bounds of the warnings about a thread's skills.
const (
	maxSkillWarnings = 50
	maxSkillWarning  = 500 // bytes
)

func (r *skillReader) warn(text string) {
	switch {
	case len(r.warnings) < maxSkillWarnings:
		r.warnings = append(r.warnings, oneLine(text, maxSkillWarning))
	case len(r.warnings) == maxSkillWarnings:
		r.warnings = append(r.warnings, "further warnings are omitted")
	}
}

func (r *skillReader) fail(name, why string) {
	text := name + ": " + why
	r.warn(text)
	if len(r.failed) < maxSkillWarnings {
		r.failed = append(r.failed, oneLine(text, maxSkillWarning))
	}
}

// read reads the skills in a directory. It returns an error if the context has ended, or if the place of the files fails, such as a
// store: the thread would have no skills from then on.
func (r *skillReader) read(ctx context.Context, source string) error {
	entries, err := r.files.List(ctx, source)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case backend.Is(err, backend.NotFound):
		return nil
	case backend.Is(err, backend.Failed) || err != nil && !isPathError(err):
		return fmt.Errorf("the skills in %s cannot be listed: %w", source, err)
	case err != nil:
		r.fail(source, err.Error())
		return nil
	}
	for _, entry := range entries {
		if !entry.Dir {
			continue
		}
		name := path.Join(entry.Path, "SKILL.md")
		if clean, err := backend.Clean(name); err != nil || clean != name { // the name could break a line of the prompt
			r.fail(fmt.Sprintf("%q", name), "the path has characters that tools do not accept")
			continue
		}
		content, err := r.head(ctx, name)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case backend.Is(err, backend.NotFound):
			continue // the directory has no skill
		case err != nil:
			r.fail(name, err.Error())
			continue
		case len(r.skills) >= maxSkills:
			r.fail(source, fmt.Sprintf("only %d skills are taken; the others are left out", maxSkills))
			return nil
		}
		r.parse(name, content)
	}
	return nil
}

// isPathError reports whether an error is about a path, and not about the place of the files.
func isPathError(err error) bool {
	_, ok := errors.AsType[*backend.Error](err)
	return ok
}

func (r *skillReader) parse(name string, content []byte) {
	skill, warnings, err := skillfile.Parse(name, content)
	for _, warning := range warnings {
		r.warn(name + ": " + warning)
	}
	if err != nil {
		r.fail(name, err.Error())
		return
	}
	r.skills = append(r.skills, *skill)
}

// head reads as much of a file as its frontmatter may have.
func (r *skillReader) head(ctx context.Context, name string) ([]byte, error) {
	file, info, err := r.files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info.Size > maxSkillFile {
		return nil, &backend.Error{Path: name, Reason: backend.TooLarge, Size: info.Size, Limit: maxSkillFile}
	}
	return io.ReadAll(io.LimitReader(file, skillfile.MaxHead))
}

// latest returns one skill of each name, the one that was found last, at the place where the name was found first.
func (r *skillReader) latest() []skillfile.Skill {
	out := make([]skillfile.Skill, 0, len(r.skills))
	at := make(map[string]int, len(r.skills))
	for i := range r.skills {
		name := r.skills[i].Name
		if place, known := at[name]; known {
			out[place] = r.skills[i]
			continue
		}
		at[name] = len(out)
		out = append(out, r.skills[i])
	}
	return out
}
