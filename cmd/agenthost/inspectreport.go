package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// report is the text that plugin inspect prints about one file.
type report struct{ strings.Builder }

func (r *report) rowf(name, format string, args ...any) {
	fmt.Fprintf(r, "  %-13s %s\n", name, text.Clean(fmt.Sprintf(format, args...)))
}

func (r *report) itemf(name, format string, args ...any) {
	fmt.Fprintf(r, "    %-20s %s\n", terminal.Line(name), text.Clean(fmt.Sprintf(format, args...)))
}

func printInspection(w io.Writer, in *author.Inspection) error {
	var r report
	fmt.Fprintf(&r, "%s: ", terminal.Line(in.File))
	switch {
	case !in.OK && in.Kind != "":
		fmt.Fprintf(&r, "FAILED %s (%s): %s\n", in.Kind, terminal.Line(in.Stage), terminal.Line(in.Message))
	case !in.OK:
		fmt.Fprintf(&r, "FAILED: %s\n", terminal.Line(in.Message))
	default:
		fmt.Fprintf(&r, "%s %s, ABI %d\n", terminal.Line(in.Described.Name), terminal.Line(in.Described.Version), in.Described.ABI)
	}
	if in.SHA256 != "" {
		r.rowf("sha256", "%s", in.SHA256)
	}
	if in.Signature != "" {
		r.rowf("signature", "%s (not checked)", terminal.Line(in.Signature))
	}
	if in.Module != nil {
		r.module(in.Module)
		r.embedded(in.Embedded)
	}
	if d := in.Described; d != nil {
		r.description(d, in.Module)
	}
	for _, warning := range in.Warnings {
		fmt.Fprintf(&r, "  warning: %s\n", terminal.Line(warning.Text))
	}
	_, err := io.WriteString(w, r.String())
	return err
}

// module prints the parts of the file.
func (r *report) module(m *anatomy.Module) {
	if len(m.Producers) > 0 {
		r.rowf("made by", "%s", producers(m.Producers))
	}
	r.rowf("size", "%d bytes: code %d, data %d, debug information %d; %d functions", m.Size, m.Code, m.Data, m.Debug, m.Functions)
	if m.Memory != nil {
		memory := fmt.Sprintf("%d KiB at the start", m.Memory.Initial>>10)
		if m.Memory.Maximum > 0 {
			memory += fmt.Sprintf(", at most %d KiB", m.Memory.Maximum>>10)
		}
		if m.Stack > 0 {
			memory += fmt.Sprintf("; stack %d bytes", m.Stack)
		}
		r.rowf("memory", "%s", memory)
	}
	for _, t := range m.Tables {
		size := fmt.Sprintf("%d elements", t.Initial)
		if t.Maximum > 0 {
			size += fmt.Sprintf(", at most %d", t.Maximum)
		}
		r.rowf("table", "%s", size)
	}
	for _, i := range m.Imports {
		r.rowf("imports", "%s: %s", terminal.Line(i.Module), terminal.Lines(i.Names))
	}
	names := make([]string, 0, len(m.Exports))
	for _, e := range m.Exports {
		names = append(names, e.Name)
	}
	r.rowf("exports", "%s", terminal.Lines(names))
	if len(m.Custom) > 0 {
		sections := make([]string, 0, len(m.Custom))
		for _, s := range m.Custom {
			sections = append(sections, fmt.Sprintf("%s %d", terminal.Line(s.Name), s.Size))
		}
		r.rowf("sections", "%s", terminal.Lines(sections))
	}
}

// producers names the tools that made the module and the languages of its sources.
func producers(all []anatomy.Producer) string {
	var tools, languages []string
	for _, p := range all {
		if named := strings.TrimSpace(p.Name + " " + p.Version); p.Role == "language" {
			languages = append(languages, named)
		} else {
			tools = append(tools, named)
		}
	}
	if len(languages) == 0 {
		return terminal.Lines(tools)
	}
	return fmt.Sprintf("%s (from %s)", terminal.Lines(tools), terminal.Lines(languages))
}

func (r *report) embedded(e author.Embedded) {
	switch e {
	case author.EmbeddedSame:
		r.rowf("embedded", "a Description, the same as describe returns")
	case author.EmbeddedDiffers:
		r.rowf("embedded", "a Description that differs from what describe returns")
	case author.EmbeddedUnchecked:
		r.rowf("embedded", "a Description, which could not be compared with describe")
	case author.EmbeddedNone:
	}
}

// description prints what the plugin says about itself.
func (r *report) description(d *abi.Description, m *anatomy.Module) {
	var listed, unlisted []string
	for _, name := range abi.Hooks() {
		if d.Hooks.Spec(name) != nil {
			listed = append(listed, string(name))
		} else if m.Exported(string(name)) {
			unlisted = append(unlisted, string(name))
		}
	}
	r.section("hooks", len(listed))
	for _, name := range listed {
		r.itemf(name, "%s", hookSummary(d.Hooks.Spec(abi.Hook(name))))
	}
	if len(unlisted) > 0 {
		r.rowf("never called", "%s (exported, but not in its Description)", terminal.Lines(unlisted))
	}
	r.section("fields", len(d.Fields))
	for i := range d.Fields {
		r.itemf(d.Fields[i].Name, "%s", fieldSummary(&d.Fields[i]))
	}
	if len(d.Context) > 0 {
		r.rowf("context", "sees %s of the run's context", terminal.Lines(d.Context))
	}
	r.section("capabilities", len(d.Capabilities))
	for _, c := range d.Capabilities {
		need := "optional"
		if c.Required {
			need = "required"
		}
		r.itemf(c.Op, "%s: %s", need, terminal.Line(c.Reason))
	}
	if d.Guards {
		r.rowf("guards", "yes; on_failure: open and a breaker need accept_open: true")
	}
	r.section("tools", len(d.Tools))
	for i := range d.Tools {
		r.itemf(d.Tools[i].Name, "%s", toolSummary(&d.Tools[i]))
	}
	r.config(d.ConfigSchema)
}

// section prints the title of a list unless the list is empty.
func (r *report) section(title string, n int) {
	if n > 0 {
		fmt.Fprintf(r, "  %s\n", title)
	}
}

func hookSummary(s *abi.HookSpec) string {
	parts := []string{"sees no messages"}
	switch view := s.Messages.String(); {
	case s.Messages.IsZero():
	case s.Messages.IsNew():
		parts[0] = "sees new messages"
	default:
		parts[0] = "sees messages: " + view
	}
	for _, list := range []struct {
		verb  string
		names []string
	}{{"reads", s.Reads}, {"writes", s.Writes}, {"may jump to", s.CanJumpTo}, {"only the tools", s.Tools}} {
		if len(list.names) > 0 {
			parts = append(parts, list.verb+" "+terminal.Lines(list.names))
		}
	}
	if s.PassesTokens {
		parts = append(parts, "lets tokens pass")
	}
	return strings.Join(parts, "; ")
}

func fieldSummary(f *abi.FieldSpec) string {
	parts := []string{f.Lifetime}
	if f.Reducer != "" {
		parts = append(parts, f.Reducer)
	}
	if f.HideInput {
		parts = append(parts, "no input")
	}
	if f.HideOutput {
		parts = append(parts, "no output")
	}
	if !f.Schema.IsZero() {
		parts = append(parts, terminal.Line(f.Schema.JSON()))
	}
	return strings.Join(parts, "; ")
}

func toolSummary(t *abi.ToolSpec) string {
	parts := []string{terminal.Line(t.Description)}
	for _, flag := range []struct {
		set  bool
		says string
	}{{t.Dynamic, "dynamic"}, {t.Idempotent, "idempotent"}, {t.ReturnDirect, "its result ends the run"}} {
		if flag.set {
			parts = append(parts, flag.says)
		}
	}
	return strings.Join(parts, "; ")
}

// config shows each key of the configuration.
func (r *report) config(schema wire.Raw) {
	var keys, required []string
	properties := map[string]wire.Raw{}
	for key, value := range schema.Pairs() {
		switch string(key) {
		case "properties":
			for name, property := range value.Pairs() {
				keys = append(keys, string(name))
				properties[string(name)] = property
			}
		case "required":
			for name := range value.Elements() {
				key, _ := name.AsString()
				required = append(required, key)
			}
		}
	}
	r.section("configuration", len(schema))
	for _, key := range keys {
		schema := terminal.Line(properties[key].JSON())
		if slices.Contains(required, key) {
			schema = "required: " + schema
		}
		r.itemf(key, "%s", schema)
	}
	if len(keys) == 0 && !schema.IsZero() {
		r.itemf("schema", "%s", terminal.Line(schema.JSON()))
	}
}
