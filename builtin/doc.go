// Package builtin holds the middleware that comes with agenthost. Each middleware is a struct whose exported fields are its
// configuration. In Go, put it into [host.Config].Middleware. In a manifest, list it under its registered name; the keys are
// the yaml tags of the struct, which are the parameter names of LangChain's and deepagents' middleware.
//
// # Conventions
//
// A method Hooks checks the configuration and returns the hooks of one agent, so one configuration can serve several agents.
// The checked form is an unexported type, such as reviewer for [HumanInTheLoop]. Optional numbers and booleans are pointers
// where zero has a meaning of its own; nil means the default. Texts for the model are those of the reference implementations,
// and the vectors in test/reference verify this.
//
// # Where to find what
//
//   - The list of all middleware, with names, aliases and examples: registry.go ([Registry], [Lookup], [Entry]).
//   - Files: [Filesystem] (filesystem*.go), [FileSearch], and linesearch.go for the search that both share. Below them,
//     host/backend is the files in the state, on the disk or in a store (filebackend.go for manifests), internal/filetext matches globs and reads lines, and
//     internal/rootdir decides what may be reached on the disk.
//   - Retries: [ModelRetry] and [ToolRetry] share [Retry] (retry.go); retrier.go makes the attempts, retrydelay.go the delays,
//     and onfailure.go the text after the last failure. [ModelFallback] and [ToolError] handle what remains.
//   - Reviews by a human: [HumanInTheLoop]; reviewpolicy.go selects the calls, reviewrequest.go asks, reviewdecision.go reads
//     the answer, and callreviews.go remembers which decision belongs to which call. Before a call runs, reviewer.go (wrap)
//     checks whether the decision still applies to it, and asks again if not.
//   - Long histories: [Summarization] (summarization*.go), [ContextEditing] (contextedit*.go), contextsize.go and
//     tokencounter.go for sizes, [AnthropicPromptCaching] for the provider's cache.
//   - Limits: [ModelCallLimit], [ToolCallLimit] and [LoopControl] (loopcontrol*.go).
//   - Prompts: [DynamicPrompt] (prompttemplate*.go), [Memory], [Skills], and systemprompt.go, which adds texts.
//   - Other agents: [Subagents] (subagents*.go).
//   - Commands: [Shell]. shelltool.go decides whether a command runs, also after a lost session, and what its result is;
//     shellsessions.go starts and ends sessions; shellpolicy.go says where they run, shellredaction.go what is hidden. Processes
//     are in internal/shellsession.
//   - Anthropic's own tools: [ClaudeBash], [ClaudeTextEditor], [ClaudeMemory]; claudetool.go declares them to the provider, and
//     claudefiles.go performs the commands on files.
//   - Personal data: [PII] (pii*.go), with internal/pii for rules.
//   - Tools selected or emulated by a model: [LLMToolSelector] (llmtoolselector.go decides which stay, llmtoolselection.go
//     asks the model), [LLMToolEmulator].
//   - The history and the list of steps: [PatchToolCalls], [TodoList].
//
// Each middleware has a compiled example and a section in docs/middleware.md, which is generated from the comments here.
package builtin
