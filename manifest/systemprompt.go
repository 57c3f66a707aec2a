package manifest

import (
	"reflect"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// promptEntry is a system prompt: a text, {file: PATH}, or a list of text blocks.
type promptEntry struct {
	content abi.Content
	file    string
	node    strictyaml.Node
}

// promptFile names the file of a prompt.
type promptFile struct {
	File string `yaml:"file" strict:"required"` // the path of a text file, relative to the manifest
}

// promptBlock is a part of a prompt, with further keys for the provider.
type promptBlock struct{ fields wire.Map }

// UnmarshalStrict decodes any of the forms.
func (p *promptEntry) UnmarshalStrict(n strictyaml.Node) error {
	p.node = n
	switch n.Kind() {
	case strictyaml.KindMap:
		var entry promptFile
		err := n.Decode(&entry)
		p.file = entry.File
		return err
	case strictyaml.KindList:
		var entries []promptBlock
		if err := n.Decode(&entries); err != nil {
			return err
		}
		blocks := make([]abi.Block, len(entries))
		for i, entry := range entries {
			blocks[i] = abi.BlockOf(entry.fields)
		}
		p.content = abi.Blocks(blocks...)
		return nil
	default:
		var text string
		err := n.Decode(&text)
		p.content = abi.Text(text)
		return err
	}
}

// UnmarshalStrict decodes a mapping with a text. Its other keys are the provider's, such as cache_control.
func (b *promptBlock) UnmarshalStrict(n strictyaml.Node) error {
	const example = "a block of the system prompt is a mapping such as {type: text, text: Be brief., cache_control: {type: ephemeral}}"
	if n.Kind() != strictyaml.KindMap {
		return n.Errorf(example)
	}
	var err error
	if b.fields, err = mappingOf(n); err != nil {
		return err
	}
	if block := abi.BlockOf(b.fields); block.Type() != abi.BlockText || block.Text() == "" {
		return n.Errorf(example)
	}
	return nil
}

// JSONSchema describes the forms.
func (promptEntry) JSONSchema() map[string]any {
	block := map[string]any{
		"type": "object", "required": []any{"type", "text"},
		"properties": map[string]any{
			"type": describedAs("The type of the block", enum(abi.BlockText)),
			"text": describedAs("The text of the block", map[string]any{"type": "string", "minLength": 1}),
		},
	}
	return oneOf(map[string]any{"type": "string"}, reflect.TypeFor[promptFile](), listOf(block))
}

func (m *Manifest) systemPrompt() (abi.Content, error) {
	if m.SystemPrompt.file == "" {
		return m.SystemPrompt.content, nil
	}
	data, err := m.readFile(m.path(m.SystemPrompt.file), "a prompt")
	if err != nil {
		return abi.Content{}, located(m.SystemPrompt.node, err)
	}
	return abi.Text(string(data)), nil
}
