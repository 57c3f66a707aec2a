//go:build !no_otel

package telemetry

// The attributes of the semantic conventions for generative AI, version 0.1.0, and for MCP. OpenTelemetry has no Go package for them any more.
const (
	attrOperation       = "gen_ai.operation.name"
	attrProvider        = "gen_ai.provider.name"
	attrAgentName       = "gen_ai.agent.name"
	attrConversation    = "gen_ai.conversation.id"
	attrRequestModel    = "gen_ai.request.model"
	attrResponseModel   = "gen_ai.response.model"
	attrFinishReasons   = "gen_ai.response.finish_reasons"
	attrFirstChunk      = "gen_ai.response.time_to_first_chunk"
	attrMaxTokens       = "gen_ai.request.max_tokens"
	attrTemperature     = "gen_ai.request.temperature"
	attrTopP            = "gen_ai.request.top_p"
	attrTopK            = "gen_ai.request.top_k"
	attrSeed            = "gen_ai.request.seed"
	attrInputTokens     = "gen_ai.usage.input_tokens"
	attrOutputTokens    = "gen_ai.usage.output_tokens"
	attrCacheRead       = "gen_ai.usage.cache_read.input_tokens"
	attrCacheCreation   = "gen_ai.usage.cache_creation.input_tokens"
	attrReasoning       = "gen_ai.usage.reasoning.output_tokens"
	attrTokenType       = "gen_ai.token.type"
	attrToolName        = "gen_ai.tool.name"
	attrToolType        = "gen_ai.tool.type"
	attrToolCallID      = "gen_ai.tool.call.id"
	attrToolArguments   = "gen_ai.tool.call.arguments"
	attrToolResult      = "gen_ai.tool.call.result"
	attrToolDefinitions = "gen_ai.tool.definitions"
	attrSystem          = "gen_ai.system_instructions"
	attrInput           = "gen_ai.input.messages"
	attrOutput          = "gen_ai.output.messages"

	// MCP tools name these themselves, see host.TracedTool.
	attrMCPMethod   = "mcp.method.name"
	attrMCPSession  = "mcp.session.id"
	attrMCPProtocol = "mcp.protocol.version"
)

// The values of gen_ai.operation.name.
const (
	operationChat   = "chat"
	operationInvoke = "invoke_agent"
	operationTool   = "execute_tool"
)

// The attributes of the other semantic conventions.
const (
	attrErrorType = "error.type"
	attrSession   = "session.id"
	attrUser      = "user.id"
	attrMethod    = "http.request.method"
	attrRoute     = "http.route"
	attrStatus    = "http.response.status_code"
	attrPath      = "url.path"
	attrScheme    = "url.scheme"
	attrServer    = "server.address"
	attrPort      = "server.port"
)

// attrKind is the attribute by which Phoenix chooses the icon of a span. It is OpenInference's.
const attrKind = "openinference.span.kind"

// Our own attributes.
const (
	attrRun          = "agenthost.run.id"
	attrRunStatus    = "agenthost.run.status"
	attrResumed      = "agenthost.run.resumed"
	attrStep         = "agenthost.step"
	attrMiddleware   = "agenthost.middleware"
	attrHook         = "agenthost.hook"
	attrJump         = "agenthost.jump_to"
	attrInterrupts   = "agenthost.interrupts"
	attrDigest       = "agenthost.wasm.digest"
	attrFuel         = "agenthost.wasm.fuel"
	attrInstance     = "agenthost.wasm.instance"
	attrMemory       = "agenthost.wasm.memory"
	attrHostCalls    = "agenthost.wasm.host_calls"
	attrCheckpoint   = "agenthost.checkpoint.id"
	attrSource       = "agenthost.checkpoint.source"
	attrCost         = "agenthost.cost"
	attrCostCurrency = "agenthost.cost.currency"
)

// The metrics of the semantic conventions.
const (
	metricOperation  = "gen_ai.client.operation.duration"
	metricFirstChunk = "gen_ai.client.operation.time_to_first_chunk"
	metricTokens     = "gen_ai.client.token.usage"
	metricInvoke     = "gen_ai.invoke_agent.duration"
	metricTool       = "gen_ai.execute_tool.duration"
	metricRequest    = "http.server.request.duration"
)

// Our own metrics.
const (
	metricRuns      = "agenthost.runs"
	metricActive    = "agenthost.runs.active"
	metricQueued    = "agenthost.runs.queued"
	metricHook      = "agenthost.hook.duration"
	metricFuel      = "agenthost.wasm.fuel"
	metricFaults    = "agenthost.wasm.faults"
	metricCost      = "agenthost.cost"
	metricSave      = "agenthost.checkpoint.save.duration"
	metricQueueWait = "agenthost.queue.wait"
	metricStreams   = "agenthost.streams"
	metricWaiting   = "agenthost.interrupts.waiting"
	metricInstances = "agenthost.wasm.instances"
	metricBreaker   = "agenthost.breaker.open"
	metricBytes     = "agenthost.checkpoint.bytes"
)

// durationBuckets are the boundaries of histograms of durations, in seconds, as the conventions prescribe them.
var durationBuckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

// tokenBuckets are the boundaries of histograms of tokens, as the conventions prescribe them.
var tokenBuckets = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}

// requestBuckets are the boundaries of the histogram of HTTP requests, in seconds, as the conventions for HTTP prescribe them.
var requestBuckets = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}

// hookBuckets are the boundaries of durations of hooks and of saving checkpoints, in seconds: many take microseconds.
var hookBuckets = []float64{0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60}

// byteBuckets are the boundaries of the histogram of what a checkpoint takes, in bytes.
var byteBuckets = []float64{256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216}

// fuelBuckets are the boundaries of the histogram of fuel.
var fuelBuckets = []float64{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}

// providers are the names that the conventions have for providers, where they differ from ours.
var providers = map[string]string{
	"gemini": "gcp.gemini", "vertex": "gcp.vertex_ai", "bedrock": "aws.bedrock", "azure": "azure.ai.openai", "mistral": "mistral_ai", "xai": "x_ai",
}
