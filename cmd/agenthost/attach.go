package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/attachment"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/terminal"
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

// checkAttachments refuses files that none of the models takes, and warns of those that only another model than the agent's takes.
func (f *attachments) checkAttachments(models []model.Info, warnings io.Writer) error {
	if err := attachment.Check(models, f.files...); err != nil {
		return &exitError{exitUsage, fmt.Errorf("--file: %w", err)}
	}
	if warning := onlyOthersTake(models, f.files); warning != "" {
		fmt.Fprintln(warnings, "· --file: "+warning)
	}
	return nil
}

// onlyOthersTake says that the agent's own model does not take one of the files; "" if it takes all.
func onlyOthersTake(models []model.Info, files []*attachment.File) string {
	if len(models) < 2 {
		return ""
	}
	refused, ok := errors.AsType[*attachment.UnsupportedError](attachment.Check(models[:1], files...))
	if !ok {
		return ""
	}
	return terminal.Line(fmt.Sprintf("warning: %v; only a middleware such as model_router can send the file to another model of the manifest", refused))
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
