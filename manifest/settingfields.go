package manifest

// These are the settings that are mappings, with the types of the keys that users write by hand.
var (
	// https://platform.openai.com/docs/api-reference/responses/create
	openaiReasoning = mappingWith(map[string]settingType{"effort": words, "summary": words, "generate_summary": words})
	openaiText      = mappingWith(map[string]settingType{"format": mapping, "verbosity": words})
	openaiStream    = mappingWith(map[string]settingType{"include_usage": boolean, "include_obfuscation": boolean})

	// https://openrouter.ai/docs/use-cases/reasoning-tokens
	openrouterReasoning = mappingWith(map[string]settingType{"effort": words, "max_tokens": positive, "exclude": boolean, "enabled": boolean})

	// https://docs.claude.com/en/api/messages
	anthropicMetadata   = mappingWith(map[string]settingType{"user_id": words})
	anthropicOutput     = mappingWith(map[string]settingType{"effort": words, "format": mapping})
	anthropicThinking   = mappingWith(map[string]settingType{"type": words, "budget_tokens": positive, "display": words})
	anthropicToolChoice = mappingWith(map[string]settingType{"type": words, "name": words, "disable_parallel_tool_use": boolean})

	// https://ai.google.dev/api/generate-content#generationconfig
	geminiGeneration = mappingWith(map[string]settingType{
		"candidateCount": integer, "frequencyPenalty": number, "logprobs": integer, "maxOutputTokens": positive, "mediaResolution": words,
		"presencePenalty": number, "responseLogprobs": boolean, "responseMimeType": words, "responseModalities": texts, "seed": integer,
		"speechConfig": mapping, "stopSequences": texts, "temperature": number, "topK": number, "topP": number,
		"thinkingConfig": mappingWith(map[string]settingType{"includeThoughts": boolean, "thinkingBudget": integer, "thinkingLevel": words}),
	})
)
