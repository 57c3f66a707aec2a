package attachment

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Message returns a human message with files and a text. The files come first, which suits all providers.
func Message(text string, files ...*File) abi.Message {
	if len(files) == 0 {
		return abi.Human(text)
	}
	blocks := make([]abi.Block, 0, len(files)+1)
	for _, file := range files {
		blocks = append(blocks, file.Block())
	}
	return abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(append(blocks, abi.TextBlock(text))...)}
}

// Block returns the block of a message that holds the file. A text file is a text block that names the file, because every model reads
// text, but not every one takes documents.
func (f *File) Block() abi.Block {
	switch f.Kind {
	case Image:
		return abi.ImageBlock(f.MIMEType, f.Data)
	case Audio:
		return abi.AudioBlock(f.MIMEType, f.Data)
	case PDF:
		return abi.FileBlock(strings.ToValidUTF8(f.Name, "\uFFFD"), f.MIMEType, f.Data)
	default:
		text := strings.TrimPrefix(string(f.Data), "\uFEFF")
		return abi.TextBlock("<file name=" + strconv.Quote(f.Name) + ">\n" + strings.TrimSuffix(text, "\n") + "\n</file>\n")
	}
}

// blockType returns the type of the file's block.
func (f *File) blockType() string {
	switch f.Kind {
	case Image:
		return abi.BlockImage
	case Audio:
		return abi.BlockAudio
	case PDF:
		return abi.BlockFile
	default:
		return abi.BlockText
	}
}
