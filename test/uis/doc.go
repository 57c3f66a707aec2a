// Package uis tests that pages which others wrote for LangGraph's server work with agenthost serve: agent-chat-ui and deep-agents-ui, as they are in
// their repositories, in Chromium.
//
// AGENTHOST_UIS names the directory in which `make uis` has built them. Without it the tests are skipped.
package uis
