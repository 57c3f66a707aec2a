// Package openai holds tests in which clients of OpenAI's API that others wrote use a started `agenthost serve` as their users would: OpenAI's own for
// Python and JavaScript, LiteLLM as a library and as a proxy, and the models of another agenthost. make servers installs them.
package openai
