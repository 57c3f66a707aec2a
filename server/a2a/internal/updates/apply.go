package updates

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Apply adds an update to a task, as clients do: so a client that comes late gets a task with all that others have seen.
func Apply(task *a2a.Task, e a2a.Event) {
	switch update := e.(type) {
	case *a2a.TaskStatusUpdateEvent:
		task.Status = update.Status
	case *a2a.TaskArtifactUpdateEvent:
		at := slices.IndexFunc(task.Artifacts, func(a *a2a.Artifact) bool { return a.ID == update.Artifact.ID })
		switch {
		case at < 0:
			added := *update.Artifact
			task.Artifacts = append(task.Artifacts, &added)
		case update.Append:
			task.Artifacts[at].Parts = joined(task.Artifacts[at].Parts, update.Artifact.Parts)
		default:
			replaced := *update.Artifact
			task.Artifacts[at] = &replaced
		}
	}
}

// joined adds parts to parts. A text goes on with the text before it, so that an answer of a thousand pieces has one part.
func joined(parts, more a2a.ContentParts) a2a.ContentParts {
	out := slices.Clone(parts)
	for _, part := range more {
		added, ok := part.Content.(a2a.Text)
		if n := len(out); ok && n > 0 {
			if text, ok := out[n-1].Content.(a2a.Text); ok {
				whole := *out[n-1]
				whole.Content = text + added
				out[n-1] = &whole
				continue
			}
		}
		out = append(out, part)
	}
	return out
}
