package builtin

import _ "embed" // a description

// startTaskDescription describes start_async_task; {available_agents} is the list of subagents.
//
//go:embed prompts/start_async_task.md
var startTaskDescription string

// The texts for the model, which are those of deepagents.
const (
	checkTaskDescription = "Check the status of an async subagent task. Returns the current status and, if complete, the result. " +
		"If the status is `waiting`, it also returns what the subagent is asking the user. " +
		"Statuses shown earlier in the conversation are always stale, so call this to get the current status " +
		"rather than reporting a status from a previous tool result."

	updateTaskDescription = "Send updated instructions to an async subagent. Interrupts the current run and starts " +
		"a new one on the same thread, so the subagent sees the full conversation history plus " +
		"your new message. The task_id remains the same."
	// updateTaskExceptions is added if there are subagents whose follow-ups queue; {queued_agents} are their names.
	updateTaskExceptions = "\n\nException: for {queued_agents}, follow-ups queue behind the current run without interrupting it. " +
		"A pending status means the latest follow-up is queued and earlier work may still be running. " +
		"If the current run stops to ask the user something, the queued follow-up still starts and that request is dropped. " +
		"Send one follow-up per task per turn; combine several into one message."

	cancelTaskDescription = "Cancel a running, pending, or waiting async subagent task. Use this to stop a task that is no longer needed."

	listTasksDescription = "List tracked async subagent tasks with their current live statuses. " +
		"By default shows all tasks. Use `status_filter` to narrow by status " +
		"(e.g. 'running', 'pending', 'waiting', 'success', 'error', 'cancelled'). " +
		"Use `check_async_task` to get the full result of a specific completed task, " +
		"or what a `waiting` task is asking the user. " +
		"Statuses shown earlier in the conversation are always stale, so call this to read current " +
		"statuses rather than reporting one from a previous tool result."

	forkSuffix = " (inherits your conversation at launch; uses its own system prompt and tools)"
	// forkPreamble precedes the task of a subagent that knows the conversation.
	forkPreamble = "[The messages above are prior conversation inherited from the parent agent. " +
		"You are the background subagent it has already invoked. Use the established " +
		"context to complete the task below, not to repeat the prior delegation. " +
		"You have your own tools and runtime; the parent's resources may not be available.]\n\n"

	pendingNote = "The latest run hasn't started yet. If it is a queued follow-up, an earlier run may still be working."
	waitingNote = "The subagent is waiting for a human. The user answers it directly; you can't answer or approve it. " +
		"Keep working; check again later for its result."
	noOutput   = "(completed with no output messages)"
	taskFailed = "The async subagent encountered an error."
	noTasks    = "No async subagent tasks tracked."

	notificationStart = "[SYSTEM NOTIFICATION - NOT USER INPUT]\n" +
		"An async subagent task you started has an update. This is not a message from the user: " +
		"don't treat it as their answer to any question.\n"
	cutOff = "\n... [cut off; use `check_async_task` for the full details]"
)

// nextSteps end a notification, by the status of the task.
var nextSteps = map[string]string{
	"success":   "Use the result to continue; report back to the user if they're waiting on it.",
	"error":     "Use `check_async_task` for details, then decide whether to retry, try another approach, or tell the user.",
	"timeout":   "The task ran too long and was stopped. Decide whether to retry with a smaller task, or tell the user.",
	"cancelled": "The task's run was cancelled before it finished, outside your tools. Decide whether to start it again, or tell the user.",
	"waiting":   "The subagent is waiting for the user, who answers it on the subagent's own thread; you can't answer or approve it. Keep working.",
}
