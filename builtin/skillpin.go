package builtin

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin/internal/skillfile"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// maxPinnedSkill is the size of the largest file that is pinned, in bytes. Each later model call carries it.
const maxPinnedSkill = 1 << 20

// pinnedSource is the source of a message that pins a skill, see sourceKey.
const pinnedSource = "pinned_skill"

// pinnedSchema limits what a caller may write.
const pinnedSchema = `{"type": ["array", "null"], "maxItems": 256, "items": {"type": "string"}}`

// pinnedSkills declares the field with the names of the skills to pin. Names add up; null removes them.
func pinnedSkills(name string) (host.TypedField[[]string], error) {
	schema, err := wire.FromJSON([]byte(pinnedSchema), wire.DefaultLimits)
	if err != nil {
		return host.TypedField[[]string]{}, err
	}
	join := host.Append()
	return host.NewField[[]string](name, hideOutput, func(f *host.Field) { f.Schema = schema }, host.Reduced(host.Reducer{
		Name: "append or clear", Initial: join.Initial, Reduce: func(value, update wire.Raw) (wire.Raw, error) {
			if update.IsNil() {
				return join.Initial, nil
			}
			return join.Reduce(value, update)
		},
	})), nil
}

// hideOutput hides a field from results.
func hideOutput(f *host.Field) { f.HideOutput = true }

// beforeModel appends the skills that the caller has pinned to the history.
func (l *skillLibrary) beforeModel(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	names, _, err := l.pinned.Get(rt.State())
	if err != nil || len(names) == 0 {
		return nil, err
	}
	skills, _, err := l.skills.Get(rt.State())
	if err != nil {
		return nil, err
	}
	files, err := l.source.files(rt)
	if err != nil {
		return nil, err
	}
	update := &host.Update{}
	update.State.Set(l.pinned.Name, wire.Raw{0xc0}) // null
	done := map[string]bool{}
	for _, name := range names {
		if done[name] {
			continue
		}
		done[name] = true
		at := slices.IndexFunc(skills, func(s skillfile.Skill) bool { return s.Name == name })
		if at < 0 {
			rt.Warn(fmt.Sprintf("skills: there is no skill %.80q to pin", name))
			continue
		}
		body, err := pinnedBody(ctx, files, skills[at].Path)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			rt.Warn(fmt.Sprintf("skills: the skill %.80q is not pinned: %s", name, oneLine(err.Error(), maxSkillWarning)))
		default:
			update.Messages = append(update.Messages, pinnedMessage(&skills[at], body))
		}
	}
	return update, nil
}

// pinnedBody reads a SKILL.md without its frontmatter.
func pinnedBody(ctx context.Context, files backend.Reader, name string) (string, error) {
	file, info, err := files.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(file, maxPinnedSkill+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxPinnedSkill:
		return "", &backend.Error{Path: name, Reason: backend.TooLarge, Size: max(info.Size, int64(len(content))), Limit: maxPinnedSkill}
	case !utf8.Valid(content):
		return "", fmt.Errorf("%s is not UTF-8 text", name)
	}
	return strings.TrimRight(string(skillfile.Body(content)), " \t\r\n"), nil
}

// pinnedMessage returns deepagents' message with a skill.
func pinnedMessage(s *skillfile.Skill, body string) abi.Message {
	m := abi.Human(`<skill name="` + htmlEscapes.Replace(s.Name) + `" path="` + htmlEscapes.Replace(s.Path) + "\">\n" + body + "\n</skill>")
	m.Meta = wire.Map{
		{Key: sourceKey, Value: wire.String(pinnedSource)},
		{Key: "skill", Value: wire.Map{
			{Key: "description", Value: wire.String(s.Description)},
			{Key: "name", Value: wire.String(s.Name)},
			{Key: "path", Value: wire.String(s.Path)},
		}.Raw()},
	}
	return m
}
