// Package openai has the models of OpenAI, and of all servers that speak its language: Ollama, vLLM, llama.cpp, OpenRouter,
// DeepSeek, Mistral, Gemini's compatible endpoint and others.
//
// It does without OpenAI's SDK: its types lose what other servers add, such as reasoning, texts in parts, and arguments that are no
// string; its streams take "error": null for an error; and they make a command three times as large.
//
// What of an answer must be sent back stands in its blocks: see [KeyReasoning] and [KeyItem]. What has no place there stands
// in the message's Meta: see [MetaCalls].
//
// Not supported are calls in the old form (function_call), answers as sound, and several choices.
package openai
