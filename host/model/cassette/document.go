package cassette

import (
	"errors"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// line is a line of the file. Exactly one of the fields Version, Info, Request, Moderation, Decision and Embedding is set.
type line struct {
	Version    int         `json:"model_cassette,omitempty"` // the first line
	Model      string      `json:"model,omitempty"`          // name of the model within the agent, such as models.small
	Info       *info       `json:"info,omitempty"`
	Request    wire.Raw    `json:"request,omitempty"`
	Moderation *moderation `json:"moderation,omitempty"`
	Decision   wire.Raw    `json:"decision,omitempty"`
	Embedding  *embedding  `json:"embedding,omitempty"`
	Response   *response   `json:"response,omitempty"`
	Error      *failure    `json:"error,omitempty"`
}

// requests returns how many requests the line has.
func (l *line) requests() (n int) {
	for _, has := range []bool{!l.Request.IsZero(), l.Moderation != nil, !l.Decision.IsZero(), l.Embedding != nil} {
		if has {
			n++
		}
	}
	return n
}

// checkAnswer refuses an answer to a request of another kind.
func (l *line) checkAnswer() error {
	if (l.Moderation != nil) != (l.Response.Moderation != nil) || l.Decision.IsZero() != (l.Response.Decisions == nil) {
		return errNoFit
	}
	if l.Embedding != nil {
		return l.checkEmbedding()
	}
	if l.Response.Vectors != nil {
		return errNoFit
	}
	return nil
}

// info describes a model. Its keys follow [model.Info].
type info struct {
	Name             string        `json:"name"`
	Provider         string        `json:"provider,omitempty"`
	MaxInputTokens   int           `json:"max_input_tokens,omitempty"`
	MaxOutputTokens  int           `json:"max_output_tokens,omitempty"`
	StructuredOutput bool          `json:"structured_output,omitempty"`
	Reasoning        bool          `json:"reasoning,omitempty"`
	Caching          bool          `json:"caching,omitempty"`
	Images           model.Support `json:"images,omitempty"`
	Audio            model.Support `json:"audio,omitempty"`
	Video            model.Support `json:"video,omitempty"`
	Files            model.Support `json:"files,omitempty"`
	ToolImages       model.Support `json:"tool_images,omitempty"`
	ToolFiles        model.Support `json:"tool_files,omitempty"`
	Logprobs         model.Support `json:"logprobs,omitempty"`
	Moderator        bool          `json:"moderator,omitempty"` // the model is a [model.Moderator]
	Decider          bool          `json:"decider,omitempty"`   // the model is a [model.Decider]
	Embedder         bool          `json:"embedder,omitempty"`  // the model is a [model.Embedder], which has only a name
}

func infoOf(m model.Model) *info {
	of := m.Info()
	_, moderator := model.ModeratorOf(m)
	_, decider := model.DeciderOf(m)
	return &info{
		of.Name, of.Provider, of.MaxInputTokens, of.MaxOutputTokens, of.StructuredOutput, of.Reasoning, of.Caching,
		of.Images, of.Audio, of.Video, of.Files, of.ToolImages, of.ToolFiles, of.Logprobs, moderator, decider, false,
	}
}

func (i *info) model() model.Info {
	return model.Info{
		Name: i.Name, Provider: i.Provider, MaxInputTokens: i.MaxInputTokens, MaxOutputTokens: i.MaxOutputTokens,
		StructuredOutput: i.StructuredOutput, Reasoning: i.Reasoning, Caching: i.Caching, Images: i.Images, Audio: i.Audio, Video: i.Video,
		Files: i.Files, ToolImages: i.ToolImages, ToolFiles: i.ToolFiles, Logprobs: i.Logprobs,
	}
}

// request is a request as a provider would get it.
type request struct {
	System        *abi.Content    `json:"system,omitempty"`
	Messages      []abi.Message   `json:"messages"`
	Tools         []tool          `json:"tools,omitempty"`
	ToolChoice    string          `json:"tool_choice,omitempty"`
	ProviderTools []providerTool  `json:"provider_tools,omitempty"`
	Settings      wire.Map        `json:"settings,omitempty"`
	Format        *responseFormat `json:"format,omitempty"`
	TopLogprobs   int             `json:"top_logprobs,omitempty"`
}

type tool struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  wire.Raw `json:"parameters,omitempty"`
	Extras      wire.Map `json:"extras,omitempty"`
}

type providerTool struct {
	Name       string   `json:"name,omitempty"`
	Definition wire.Map `json:"definition,omitempty"`
}

type responseFormat struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Schema      wire.Raw `json:"schema,omitempty"`
	Strict      bool     `json:"strict,omitempty"`
}

func requestOf(req *model.Request) *request {
	out := &request{Messages: req.Messages.Messages(), ToolChoice: req.ToolChoice, Settings: req.Settings, TopLogprobs: req.TopLogprobs}
	if !req.System.IsZero() {
		out.System = &req.System
	}
	for i := range out.Messages { // providers get none of these
		m := &out.Messages[i]
		m.ID, m.Meta, m.Artifact, m.Usage = "", nil, nil, nil
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		out.Tools = append(out.Tools, tool{t.Name, t.Description, t.Parameters, t.Extras})
	}
	for _, t := range req.ProviderTools {
		out.ProviderTools = append(out.ProviderTools, providerTool(t))
	}
	if f := req.Format; f != nil {
		out.Format = &responseFormat{f.Name, f.Description, f.Schema, f.Strict}
	}
	return out
}

// response is an answer of a model. Its keys follow [model.Response].
type response struct {
	Messages   []abi.Message   `json:"messages,omitempty"`
	Model      string          `json:"model,omitempty"`
	StopReason string          `json:"stop_reason,omitempty"`
	Structured wire.Raw        `json:"structured,omitempty"`
	Logprobs   []model.Logprob `json:"logprobs,omitempty"`
	Moderation *judgement      `json:"moderation,omitempty"`
	Decisions  *decisions      `json:"decisions,omitempty"`
	Vectors    [][]byte        `json:"vectors,omitempty"`
}

func responseOf(r *model.Response) *response {
	return &response{Messages: r.Messages, Model: r.Model, StopReason: r.StopReason, Structured: r.Structured, Logprobs: r.Logprobs}
}

func (r *response) model() *model.Response {
	out := &model.Response{Model: r.Model, StopReason: r.StopReason, Structured: r.Structured, Logprobs: r.Logprobs}
	out.Messages = append(out.Messages, r.Messages...)
	return out
}

// moderation is a text for a moderator.
type moderation struct {
	Model string `json:"model"`
	Text  string `json:"text"`
}

// judgement is a [model.Moderation].
type judgement struct {
	Flagged    bool     `json:"flagged"`
	Categories []string `json:"categories,omitempty"`
	Scores     wire.Map `json:"scores,omitempty"`
}

// failure is a failed call. Its keys follow [model.Error].
type failure struct {
	Provider   string          `json:"provider,omitempty"`
	Kind       model.ErrorKind `json:"kind,omitempty"` // "": the error was of another type
	Status     int             `json:"status,omitempty"`
	Retryable  bool            `json:"retryable,omitempty"`
	RetryAfter time.Duration   `json:"retry_after,omitempty"` // nanoseconds
	Message    string          `json:"message"`
}

func failureOf(err error) *failure {
	of, ok := errors.AsType[*model.Error](err)
	if !ok {
		return &failure{Message: err.Error()}
	}
	out := &failure{Provider: of.Provider, Kind: of.Kind, Status: of.Status, Retryable: of.Retryable, RetryAfter: of.RetryAfter}
	if of.Err != nil {
		out.Message = of.Err.Error()
	}
	return out
}

func (f *failure) err() error {
	if f.Kind == "" {
		return errors.New(f.Message)
	}
	out := &model.Error{Provider: f.Provider, Kind: f.Kind, Status: f.Status, Retryable: f.Retryable, RetryAfter: f.RetryAfter}
	if f.Message != "" {
		out.Err = errors.New(f.Message)
	}
	return out
}
