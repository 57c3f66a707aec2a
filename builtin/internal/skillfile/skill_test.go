package skillfile_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/skillfile"
)

const at = "/skills/pdf/SKILL.md"

func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		want    skillfile.Skill
		warning string // in the only one; "": none
	}{
		"what is required": {
			content: "---\nname: pdf\ndescription: Reads PDF files.\n---\n# How\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads PDF files."},
		},
		"everything": {
			content: `---
name: pdf
description: >
  Reads PDF files.
  Use it for forms, too.
license: MIT
compatibility: needs Python 3
allowed-tools: read_file, shell
metadata: {version: 1.2, author: ann, draft: true}
other: ignored
---`,
			want: skillfile.Skill{
				Name: "pdf", Description: "Reads PDF files. Use it for forms, too.", License: "MIT", Compatibility: "needs Python 3",
				AllowedTools: []string{"read_file", "shell"}, Metadata: map[string]string{"version": "1.2", "author": "ann", "draft": "true"},
			},
		},
		"an editor of Windows": {
			content: "\ufeff---\r\nname: pdf\r\ndescription: Reads.\r\n---\r\ntext",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads."},
		},
		"spaces behind the lines": {
			content: "---  \nname: pdf\ndescription: a --- b\n---\t\n", want: skillfile.Skill{Name: "pdf", Description: "a --- b"},
		},
		"a colon in the description": {
			content: "---\nname: pdf\ndescription: Use when: there is a PDF\nlicense: \"MIT\"\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Use when: there is a PDF", License: "MIT"},
			warning: "is not valid YAML and is read line by line: line 3:",
		},
		"a key that stands twice": {
			content: "---\nname: pdf\nname: pdf\ndescription: Reads.\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads."}, warning: "line by line",
		},
		"a name that is a number": {
			content: "---\nname: 7\ndescription: Reads.\n---\n", want: skillfile.Skill{Name: "7", Description: "Reads."},
			warning: `it is not that of its directory, "pdf"`,
		},
		"another directory": {
			content: "---\nname: docx\ndescription: Reads.\n---\n", want: skillfile.Skill{Name: "docx", Description: "Reads."},
			warning: `the name "docx" does not keep to the specification: it is not that of its directory, "pdf"`,
		},
		"capital letters": {
			content: "---\nname: My PDF\ndescription: Reads.\n---\n", want: skillfile.Skill{Name: "My PDF", Description: "Reads."},
			warning: "lower-case letters",
		},
		"hyphens": {
			content: "---\nname: a--b\ndescription: Reads.\n---\n", want: skillfile.Skill{Name: "a--b", Description: "Reads."}, warning: "lower-case letters",
		},
		"a long name": {
			content: "---\nname: " + strings.Repeat("n", 65) + "\ndescription: Reads.\n---\n",
			want:    skillfile.Skill{Name: strings.Repeat("n", 65), Description: "Reads."}, warning: "more than 64 characters",
		},
		"a long description": {
			content: "---\nname: pdf\ndescription: " + strings.Repeat("ü", 1025) + "\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: strings.Repeat("ü", 1024)}, warning: "description has more than 1024 characters and is cut",
		},
		"a long compatibility": {
			content: "---\nname: pdf\ndescription: Reads.\ncompatibility: " + strings.Repeat("c", 501) + "\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads.", Compatibility: strings.Repeat("c", 500)}, warning: "compatibility has more",
		},
		"a list of tools": {
			content: "---\nname: pdf\ndescription: Reads.\nallowed-tools: [read_file, shell]\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads.", AllowedTools: []string{"read_file", "shell"}},
		},
		"tools of another form": {
			content: "---\nname: pdf\ndescription: Reads.\nallowed-tools: {a: b}\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads."}, warning: "allowed-tools is not a string",
		},
		"metadata of another form": {
			content: "---\nname: pdf\ndescription: Reads.\nmetadata: 7\n---\n",
			want:    skillfile.Skill{Name: "pdf", Description: "Reads."}, warning: "metadata is not a mapping",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skill, warnings, err := skillfile.Parse(at, []byte(test.content))
			require.NoError(t, err)
			test.want.Path = at
			require.Equal(t, &test.want, skill)
			if test.warning == "" {
				require.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			require.Contains(t, warnings[0], test.warning)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                                       "does not begin with frontmatter",
		"# PDF\n":                                "does not begin with frontmatter",
		"----\nname: a\n---\n":                   "does not begin with frontmatter",
		"---\nname: pdf\ndescription: Reads.\n":  "does not end with a line ---",
		"---\nname: pdf\n---\n":                  "lacks a name or a description",
		"---\ndescription: Reads.\n---\n":        "lacks a name or a description",
		"---\nname: ''\ndescription: a\n---\n":   "lacks a name or a description",
		"---\nname: [a]\ndescription: a\n---\n":  "lacks a name or a description",
		"---\nname: ~\ndescription: a\n---\n":    "lacks a name or a description",
		"---\n---\n":                             "lacks a name or a description",
		"---\n- name\n---\n":                     "lacks a name or a description",
		"---\njust text\n---\n":                  "lacks a name or a description",
		"---\nname: \xff\ndescription: a\n---\n": "not UTF-8",
		"---\nname: pdf\n" + strings.Repeat("# a comment\n", 6000): "does not end within the first 64 KiB",
	} {
		_, _, err := skillfile.Parse(at, []byte(content))
		require.ErrorContains(t, err, want, "%.40q", content)
	}
}

// Whatever a file holds, what is read of it is text on one line and within its bounds.
func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: pdf\ndescription: Reads.\n---\n"))
	f.Add([]byte("---\nname: &a pdf\ndescription: *a\nmetadata: {a: [b]}\nallowed-tools: a, b\n---\n"))
	f.Add([]byte("---\nname: a: b\ndescription: 'x\n---\n"))
	f.Add([]byte("---\r\nname: |\r\n  a\r\n  b\r\ndescription: 1e9\r\nlicense: 0x1F\r\n---"))
	f.Fuzz(func(t *testing.T, content []byte) {
		skill, _, err := skillfile.Parse(at, content[:min(len(content), skillfile.MaxHead)])
		if err != nil {
			return
		}
		require.NotEmpty(t, skill.Name)
		require.NotEmpty(t, skill.Description)
		require.LessOrEqual(t, utf8.RuneCountInString(skill.Description), skillfile.MaxDescription)
		require.LessOrEqual(t, utf8.RuneCountInString(skill.Compatibility), skillfile.MaxCompatibility)
		for _, text := range []string{skill.Name, skill.Description, skill.Compatibility, skill.License} {
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\n")
		}
	})
}

func TestIncludeTools(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string][]string{
		"metadata:\n  include_tools: create list":    {"create", "list"},
		"metadata:\n  include_tools: [create, list]": {"create", "list"},
		"metadata:\n  include_tools: {create: list}": nil,
		"metadata:\n  other: create":                 nil,
		"metadata: create":                           nil,
		"metadata:\n  include_tools: \"a\\nb,c\"":    {"a", "b", "c"},
	} {
		skill, _, err := skillfile.Parse("/a/SKILL.md", []byte("---\nname: a\ndescription: Does it.\n"+metadata+"\n---\n"))
		require.NoError(t, err, metadata)
		require.Equal(t, want, skill.IncludeTools, metadata)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"---\nname: a\n---\nDo this.\n": "Do this.\n", "\ufeff---\r\n---\r\nx": "x", "---\na": "---\na", "x": "x", "": "", "---\n---": "",
	} {
		require.Equal(t, want, string(skillfile.Body([]byte(content))), "%q", content)
	}
}
