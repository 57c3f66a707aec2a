package catalog

import (
	"bytes"
	"fmt"
	"strings"
)

// Document returns docs/middleware.md.
func Document() ([]byte, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(documentHead)
	b.WriteString("| | |\n|---|---|\n")
	for i := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", all[i].Name, all[i].Name, all[i].Summary)
	}
	for i := range all {
		all[i].document(&b)
	}
	return b.Bytes(), nil
}

const documentHead = `# Built-in middleware

This file is generated from the source code by ` + "`make generate`" + `. The command ` + "`agenthost middleware show NAME`" + ` prints the same text.

In a manifest, list a middleware under ` + "`middleware`" + ` by its name; the first entry is the outermost. In Go, each middleware is a struct of the
package [builtin](../builtin). Names, keys and texts are those of LangChain 1.5.0 and deepagents 0.7.8 unless the section says otherwise.

Not included are keys that LangChain has deprecated: max_tokens_before_summary and messages_to_keep.

`

func (m *Middleware) document(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n", m.Name)
	if len(m.Aliases) > 0 {
		fmt.Fprintf(b, "Also: `%s`.\n\n", strings.Join(m.Aliases, "`, `"))
	}
	fmt.Fprintf(b, "%s\n\n", markdown(m.doc))
	if len(m.Keys) > 0 {
		b.WriteString("| key | type | default | |\n|---|---|---|---|\n")
		for i := range m.Keys {
			k := &m.Keys[i]
			fallback := ""
			switch {
			case k.Required:
				fallback = "required"
			case k.Default != "":
				fallback = "`" + cell(k.Default) + "`"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.Name, cell(k.Type), fallback, cell(k.Description))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "```yaml\n%s```\n", m.Example)
}

// cell is a text in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}
