package langchain

import "github.com/agenthost/agenthost/server/internal/openapi"

// MessageSchema returns the schema of what [Message] returns.
func MessageSchema() openapi.Schema {
	object := openapi.Schema{"type": "object"}
	text := openapi.Schema{"type": []string{"string", "null"}}
	list := openapi.Schema{"type": "array", "items": object}
	return openapi.Schema{
		"type": "object", "required": []string{"type", "content", "id", "name", "additional_kwargs", "response_metadata"},
		"properties": openapi.Schema{
			"type":    openapi.Schema{"type": "string", "enum": []string{"human", "ai", "system", "tool"}},
			"content": openapi.Schema{"anyOf": []any{openapi.Schema{"type": "string"}, list}},
			"id":      text, "name": text, "additional_kwargs": object, "response_metadata": object,
			"tool_calls": list, "invalid_tool_calls": list, "usage_metadata": openapi.Schema{"type": []string{"object", "null"}},
			"tool_call_id": openapi.Schema{"type": "string"}, "status": openapi.Schema{"type": "string", "enum": []string{"success", "error"}},
		},
	}
}
