package manifest

import (
	"github.com/agenthost/agenthost/host/model"
)

// profileEntry is a list of a model's abilities, for a model that agenthost does not know or describes wrongly.
type profileEntry struct {
	MaxInputTokens   tokenCount `yaml:"max_input_tokens"`  // the largest number of tokens of a request
	MaxOutputTokens  tokenCount `yaml:"max_output_tokens"` // the largest number of tokens of an answer
	StructuredOutput *bool      `yaml:"structured_output"` // the provider enforces schemas
	Reasoning        *bool      `yaml:"reasoning"`         // the model can reason before it answers
	Caching          *bool      `yaml:"caching"`           // the provider caches prompts
	Images           *bool      `yaml:"images"`            // the model takes images
	Audio            *bool      `yaml:"audio"`             // the model takes recordings of sound
	Video            *bool      `yaml:"video"`             // the model takes films
	Files            *bool      `yaml:"files"`             // the model takes documents
	ToolImages       *bool      `yaml:"tool_images"`       // the model takes images in results of tools
	ToolFiles        *bool      `yaml:"tool_files"`        // the model takes documents in results of tools
	Logprobs         *bool      `yaml:"logprobs"`          // the provider reports log probabilities of tokens
}

func (p *profileEntry) apply(info *model.Info) {
	if p.MaxInputTokens > 0 {
		info.MaxInputTokens = int(p.MaxInputTokens)
	}
	if p.MaxOutputTokens > 0 {
		info.MaxOutputTokens = int(p.MaxOutputTokens)
	}
	for _, flag := range []struct {
		said *bool
		of   *bool
	}{
		{p.StructuredOutput, &info.StructuredOutput},
		{p.Reasoning, &info.Reasoning},
		{p.Caching, &info.Caching},
	} {
		if flag.said != nil {
			*flag.of = *flag.said
		}
	}
	for _, flag := range []struct {
		said *bool
		of   *model.Support
	}{
		{p.Images, &info.Images},
		{p.Audio, &info.Audio},
		{p.Video, &info.Video},
		{p.Files, &info.Files},
		{p.ToolImages, &info.ToolImages},
		{p.ToolFiles, &info.ToolFiles},
		{p.Logprobs, &info.Logprobs},
	} {
		if flag.said != nil {
			*flag.of = model.SupportOf(*flag.said)
		}
	}
}
