package attachment

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// Check returns an [*UnsupportedError] for the first file that all models refuse, and a [*TotalError] if the files are too large together.
// The first model is the agent's; the others are those to which its middleware may send the message. A model of which nobody knows whether
// it takes a file is asked.
func Check(models []model.Info, files ...*File) error {
	total := 0
	for _, file := range files {
		if total += len(file.Data); total > MaxTotal {
			return &TotalError{total}
		}
		taken := len(models) == 0
		for i := range models {
			taken = taken || models[i].Takes(abi.RoleHuman, file.blockType()) != model.SupportNo
		}
		if !taken {
			return &UnsupportedError{File: file.Name, Kind: file.Kind, Model: models[0]}
		}
	}
	return nil
}

// UnsupportedError is a file that the model does not take.
type UnsupportedError struct {
	File  string
	Kind  Kind
	Model model.Info
}

func (e *UnsupportedError) Error() string {
	key := map[Kind]string{Image: "images", PDF: "files", Audio: "audio"}[e.Kind]
	content := map[Kind]string{Image: "images", PDF: "PDF documents", Audio: "audio"}[e.Kind]
	return fmt.Sprintf("file %q: the model %s does not take %s; use another model, or set profile: {%s: true} if this one does",
		e.File, e.Model.Name, content, key)
}
