package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/model"
)

// attachments are the files that a prompt comes with.
type attachments struct {
	paths []string
	files []*attachment.File
}

// addAttachments adds the flag that names files.
func (f *attachments) addAttachments(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.paths, "file", nil,
		"add the file at this `PATH` to the prompt: an image (png, jpeg, gif, webp), a PDF document, audio (wav, mp3) or UTF-8 text; may be repeated")
}

// readAttachments reads the files.
func (f *attachments) readAttachments() error {
	for _, path := range f.paths {
		file, err := attachment.Read(path)
		if err != nil {
			return &exitError{exitUsage, fmt.Errorf("--file: %w", err)}
		}
		f.files = append(f.files, file)
	}
	return nil
}

// checkAttachments refuses files that none of the models takes.
func (f *attachments) checkAttachments(models []model.Info) error {
	if err := attachment.Check(models, f.files...); err != nil {
		return &exitError{exitUsage, fmt.Errorf("--file: %w", err)}
	}
	return nil
}

// modelsOf returns the models of an agent: its own first, then the named ones, to which middleware may send a message.
func modelsOf(config *host.Config) []model.Info {
	models := make([]model.Info, 0, 1+len(config.Models))
	models = append(models, config.Model.Info())
	for _, name := range slices.Sorted(maps.Keys(config.Models)) {
		models = append(models, config.Models[name].Info())
	}
	return models
}
