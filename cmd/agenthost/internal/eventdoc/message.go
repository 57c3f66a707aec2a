package eventdoc

// definitions returns the parts of events.
func definitions() object {
	return object{
		"message": record("A message of the conversation", object{
			"role": object{"type": "string", "enum": []string{"human", "ai", "tool", "system"}, "description": "Who says it"},
			"content": object{
				"description": "A text, or a list of blocks",
				"anyOf":       []any{object{"type": "string"}, object{"type": "array", "items": reference("block")}},
			},
			"id":                 text("The id of the message"),
			"name":               text("The name of the agent or tool"),
			"tool_calls":         listOf(reference("tool_call"), "The tools to call"),
			"invalid_tool_calls": listOf(reference("invalid_tool_call"), "The calls whose arguments cannot be parsed"),
			"tool_call_id":       text("The id of the call that a tool message answers"),
			"status": object{
				"type": "string", "enum": []string{"success", "error"}, "description": "Whether the tool failed; absent means success",
			},
			"artifact": object{"description": "The result of the tool for programs, in any form"},
			"usage":    reference("usage"),
			"meta":     mapOf("The data of providers and programs"),
		}, "role"),
		"block": record("A part of a content, with further keys that depend on the type and the provider", object{
			"type":      text("text, image, audio, video, file, reasoning, refusal, or a provider's own"),
			"text":      text("The text of a text block"),
			"reasoning": text("The text of a reasoning block"),
			"refusal":   text("The text of a refusal block"),
			"data":      text("The bytes of an image, audio, a video or a file, in base64"),
			"mime_type": text("Their type, such as image/png"),
			"name":      text("The name of a file"),
			"url":       text("An address instead of data"),
		}, "type"),
		"tool_call": record("A tool to call", object{
			"id": text("The id of the call"), "name": text("The name of the tool"), "args": mapOf("The arguments"),
		}, "id", "name", "args"),
		"invalid_tool_call": record("A tool call whose arguments are not a JSON object", object{
			"id": text("The id of the call"), "name": text("The name of the tool"), "args": text("The arguments as the model wrote them"),
			"error": text("Why they cannot be parsed"),
		}, "id", "name", "args"),
		"call_piece": record("A piece of a tool call; the arguments are JSON only when all pieces are put together", object{
			"index": count("The place of the call in the answer, from 0"), "id": text("The id of the call, in its first piece"),
			"name": text("The name of the tool, in the first piece"), "args": text("The next piece of the arguments"),
		}, "index"),
		"usage": record("The tokens of a model call", object{
			"input_tokens": count("The tokens of the request"), "output_tokens": count("The tokens of the answer"), "total_tokens": count("Their sum"),
			"reasoning_tokens":      count("The output tokens for reasoning"),
			"cache_read_tokens":     count("The input tokens from the provider's cache"),
			"cache_creation_tokens": count("The input tokens that were written to the cache"),
		}, "input_tokens", "output_tokens", "total_tokens"),
		"update": record("The changes that a hook returned", object{
			"jump_to":   object{"type": "string", "enum": []string{"model", "tools", "end"}, "description": "Where the run goes on"},
			"messages":  listOf(reference("message"), "The messages to add"),
			"overwrite": object{"type": "boolean", "description": "Whether messages replace the whole history"},
			"patch":     listOf(object{"type": "object", "required": []string{"id"}}, "Keys to replace in the messages with these ids"),
			"remove":    listOf(object{"type": "string"}, "The ids of messages to remove"),
			"state":     mapOf("The values of fields to set"),
		}),
		"request": record("A request to a model: all of it, or the parts that a hook changed", object{
			"model":       text("The name of the model"),
			"system":      object{"description": "The whole system prompt, a text or a list of blocks"},
			"tools":       listOf(reference("offered_tool"), "The tools that are new, or other than before"),
			"tool_names":  listOf(object{"type": "string"}, "The names of all tools, in their order"),
			"tool_choice": text("auto, none, any, or the name of a tool"),
			"settings":    mapOf("All settings for the provider"),
			"messages":    listOf(reference("request_messages"), "All messages, where they are not those of the request before"),
		}),
		"offered_tool": record("The definition of a tool", object{
			"name": text("The name of the tool"), "description": text("What it does, for the model"),
			"parameters": object{"description": "The JSON Schema of its arguments"},
		}, "name"),
		"request_messages": record("A part of the messages of a request: some of the request before, or a message that was not there", object{
			"from": count("The place of the first one in the request before, from 0"), "to": count("The place after the last one"),
			"message": reference("message"),
		}, "from", "to"),
		"interrupt": record("A question of a hook or tool", object{
			"id": text("Names the question in an answer"), "step": text("The hook or tool that asks"), "call_id": text("The tool call that it is about"),
			"key": text("Tells the questions of one step apart"), "value": object{"description": "The question, in any form"},
		}, "step", "key", "value"),
		"error": record("An error", object{
			"type": text("The kind of error, such as tool_error"), "message": text("The error for people"),
		}, "type", "message"),
	}
}
