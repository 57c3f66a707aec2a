//go:build no_cloud

package manifest

import (
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/leftout"
)

// checkBuild refuses a provider that this build lacks. So no model on a cloud is ever built.
func (k *providerKind) checkBuild() error {
	if len(k.cloud) == 0 {
		return nil
	}
	return &leftout.Error{Part: k.listed.Title, Tag: "no_cloud"}
}

func (*providerEntry) onBedrock(*anthropic.Model)         {}
func (*providerEntry) geminiOnVertex(*gemini.Model)       {}
func (*providerEntry) anthropicOnVertex(*anthropic.Model) {}
func (*providerEntry) onAzure(*openai.Model)              {}
