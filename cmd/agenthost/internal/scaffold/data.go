package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/plaintemplate"
	"github.com/agenthost/agenthost/internal/toolchain"
)

// data returns the data of the templates.
func (p *Project) data() (map[string]any, error) {
	sdk := map[string]any{
		"Checkout": p.SDK.Checkout, "Release": p.SDK.Release, "Commit": p.SDK.Commit, "Copied": p.SDK.Copied(), "Dir": p.SDK.Dir(),
	}
	if p.IsGo() {
		modules, err := p.SDK.Modules()
		if err != nil {
			return nil, err
		}
		list := make([]any, len(modules))
		for i, m := range modules {
			list[i] = map[string]any{"Path": m.Path, "Version": m.Version}
		}
		sdk["Modules"] = list
	}
	return map[string]any{
		"Name": p.Name, "Type": p.typeName(), "File": p.File(), "Lang": string(p.Language), "SDK": sdk,
		"IsPython": p.IsPython(), "IsTyped": p.Language == toolchain.TypeScript,
		"HasHooks":  len(p.Hooks) > 0,
		"HasConfig": slices.ContainsFunc(p.Hooks, func(h abi.Hook) bool { return h != abi.AfterModel && h != abi.AfterAgent }),
	}, nil
}

// functions returns the functions of the templates: (has "before_model") reports whether the project has a hook, and
// (command "check" .File) is a command with a plugin file, padded so that comments after several of them line up.
func (p *Project) functions() map[string]plaintemplate.Function {
	return map[string]plaintemplate.Function{
		"has": {Params: []plaintemplate.Param{plaintemplate.Text}, Call: func(args []any) (any, error) {
			hook, _ := args[0].(string)
			return slices.Contains(p.Hooks, abi.Hook(hook)), nil
		}},
		"command": {Params: []plaintemplate.Param{plaintemplate.Text, plaintemplate.Text}, Call: func(args []any) (any, error) {
			return fmt.Sprintf("%-45s", fmt.Sprintf("agenthost plugin %s %s", args...)), nil
		}},
	}
}

// typeName returns the plugin's name as the name of a type: RedactMail for redact-mail.
func (p *Project) typeName() string {
	var b strings.Builder
	for word := range strings.SplitSeq(p.Name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
