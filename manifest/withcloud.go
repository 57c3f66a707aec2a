//go:build !no_cloud

package manifest

import (
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/vertex"
)

// checkBuild refuses a provider that this build lacks.
func (*providerKind) checkBuild() error { return nil }

func (e *providerEntry) onBedrock(m *anthropic.Model) {
	m.Platform = &bedrock.Platform{Region: e.cloud.region, TrustBaseURL: e.cloud.trust}
}

func (e *providerEntry) geminiOnVertex(m *gemini.Model)       { m.Platform = e.vertex() }
func (e *providerEntry) anthropicOnVertex(m *anthropic.Model) { m.Platform = e.vertex() }

func (e *providerEntry) vertex() *vertex.Platform {
	return &vertex.Platform{Project: e.cloud.project, Location: e.cloud.location, TrustBaseURL: e.cloud.trust, ProcessEnv: e.process}
}

func (e *providerEntry) onAzure(m *openai.Model) {
	m.Platform = &azure.Platform{APIVersion: e.cloud.apiVersion, TrustBaseURL: e.cloud.trust, ProcessEnv: e.process}
}
