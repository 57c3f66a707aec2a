package builtin

import (
	"context"
	_ "embed" // the prompts
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// TodoList gives the model a list of its steps. The tool write_todos replaces the whole list in the state field todos.
// Results contain the list; the caller cannot set it. The system prompt of each model call explains how to use it.
//
// Each call of the tool takes a list of {content, status}. The status is pending, in_progress or completed; other keys of
// an item are dropped. If one answer of the model has several calls, all of them are refused, because none of the lists
// would clearly be the last.
//
// Behaviour and texts are those of LangChain 1.5.0's TodoListMiddleware, with three differences: the tool answers with the
// list as compact JSON, a call that another middleware has answered is not answered again, and the tool's default description
// has different wording.
type TodoList struct {
	// SystemPrompt is added after the system prompt, as a block of its own. nil: LangChain's text; "": nothing is added.
	SystemPrompt *string `yaml:"system_prompt"`
	// ToolDescription is the description of write_todos for the model. "": a text that says when to use it, and how.
	ToolDescription string `yaml:"tool_description"`
}

var todoListEntry = Entry{
	Name:    "todo_list",
	Aliases: []string{"planning"},
	Summary: "gives the model a tool to keep a list of its steps",
	Example: `- todo_list:
    system_prompt: Plan work of more than three steps with write_todos.
`,
	New: func() host.Middleware { return &TodoList{} },
}

// A Todo is a step of a [TodoList], in the form of the state field todos.
type Todo struct {
	Content string     `msgpack:"content"`
	Status  TodoStatus `msgpack:"status"`
}

// TodoStatus is the progress of a step.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
)

// todos is the list. It is visible in results, because users watch it while an agent works.
var todos = host.NewField[[]Todo]("todos", func(f *host.Field) { f.HideInput = true })

const writeTodos = "write_todos"

var (
	// This text is LangChain's.
	//
	//go:embed prompts/todo_list.md
	todoListPrompt string

	//go:embed prompts/write_todos.md
	writeTodosDescription string
)

// writeTodosParameters has no additionalProperties: models like to give items an id, which does no harm.
const writeTodosParameters = `{"type": "object", "required": ["todos"], "properties": {"todos": {"type": "array", "items": {
	"type": "object", "required": ["content", "status"], "properties": {
		"content": {"type": "string", "description": "what is to be done"},
		"status": {"type": "string", "enum": ["pending", "in_progress", "completed"], "description": "how far it is"}}}}}}`

const parallelTodosText = "Error: The `write_todos` tool should never be called multiple times in parallel. " +
	"Please call it only once per model invocation to update the todo list."

// Name returns "todo_list".
func (l TodoList) Name() string { return "todo_list" }

// Hooks makes the tool.
func (l TodoList) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	parameters, err := wire.FromJSON([]byte(writeTodosParameters), wire.DefaultLimits)
	if err != nil {
		return nil, err
	}
	spec := abi.ToolSpec{Name: writeTodos, Description: l.ToolDescription, Parameters: parameters, Idempotent: true}
	if spec.Description == "" {
		spec.Description = strings.TrimSpace(writeTodosDescription)
	}
	hooks := &host.Hooks{
		AfterModel: host.NodeHook{Func: refuseParallelTodos},
		State:      []host.Field{todos.Field},
		Tools:      []host.Tool{tool.Raw(spec, replaceTodos)},
	}
	prompt := strings.TrimSpace(todoListPrompt)
	if l.SystemPrompt != nil {
		prompt = *l.SystemPrompt
	}
	if prompt != "" {
		hooks.WrapModelCall = promptHook(prompt)
	}
	return hooks, nil
}

// promptHook returns a hook that adds a text to the system prompt of each model call.
func promptHook(text string) host.WrapModelHook {
	return host.WrapModelHook{PassesTokens: true, Func: func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithSystem(appendSystem(req.System, text)))
		return resp, nil, err
	}}
}

// replaceTodos is the tool write_todos.
func replaceTodos(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	var args struct {
		Todos []Todo `msgpack:"todos"`
	}
	if err := host.Decode(call.Args, &args); err != nil {
		return nil, err
	}
	if args.Todos == nil {
		args.Todos = []Todo{}
	}
	update := &host.Update{}
	if err := todos.Set(update, args.Todos); err != nil {
		return nil, err
	}
	out := host.TextOutput("Updated todo list to " + update.State.Get(todos.Name).JSON())
	out.Update = update
	return out, nil
}

// refuseParallelTodos answers all calls of write_todos if the model's answer has several. Calls that are already answered
// count, too: the model wrote the others without knowing that.
func refuseParallelTodos(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	at := messages.LastAI()
	if at < 0 {
		return nil, nil
	}
	calls, n := messages.Entry(at).Message().ToolCalls, 0
	for i := range calls {
		if calls[i].Name == writeTodos {
			n++
		}
	}
	if n < 2 {
		return nil, nil
	}
	update := &host.Update{}
	for call := range messages.OpenCalls(at) {
		if call.Name == writeTodos {
			update.Messages = append(update.Messages, abi.ToolFailure(*call, parallelTodosText))
		}
	}
	return update, nil
}
