// Package openai has the models of OpenAI, and of all servers that speak its language: Ollama, vLLM, llama.cpp, OpenRouter,
// DeepSeek, Mistral, Gemini's compatible endpoint and others.
//
// A request goes through OpenAI's SDK, github.com/openai/openai-go, which knows the headers and finds the events of a
// stream. Its types are not used for what a model says: they lose what other servers add, such as reasoning, texts in parts,
// and arguments that are no string; and its streams take "error": null for an error. The JSON is read here instead.
//
// What of an answer must be sent back stands in its blocks: see [KeyReasoning] and [KeyItem]. What has no place there stands
// in the message's Meta: see [MetaCalls].
//
// Not supported are calls in the old form (function_call), answers as sound, and several choices.
package openai
