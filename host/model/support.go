package model

import "github.com/agenthost/agenthost/abi"

// Support says whether a model takes a kind of content.
type Support uint8

// Whether a model takes a kind of content.
const (
	SupportUnknown Support = iota // nobody knows; a request may try
	SupportNo                     // the model refuses it
	SupportYes                    // the model takes it
)

// SupportOf returns SupportYes or SupportNo.
func SupportOf(yes bool) Support {
	if yes {
		return SupportYes
	}
	return SupportNo
}

// Takes says whether the model takes blocks of this type, such as [abi.BlockImage], in messages of the role. In results of tools,
// images and documents need the support of both. Blocks that are not media are always taken.
func (i *Info) Takes(role abi.Role, block string) Support {
	switch block {
	case abi.BlockImage:
		return weaker(i.Images, i.ToolImages, role)
	case abi.BlockFile:
		return weaker(i.Files, i.ToolFiles, role)
	case abi.BlockAudio:
		return i.Audio
	case abi.BlockVideo:
		return i.Video
	default:
		return SupportYes
	}
}

// DocumentTaker is a model that takes documents other than PDF. Documents are sent with their bytes.
type DocumentTaker interface {
	// TakesDocument reports whether the model takes documents of a type, such as "text/csv".
	TakesDocument(mimeType string) bool
}

// weaker returns the support in messages of a role: in results of tools, a refusal of either is a refusal.
func weaker(everywhere, inTools Support, role abi.Role) Support {
	if role == abi.RoleTool && inTools == SupportNo {
		return SupportNo
	}
	return everywhere
}
