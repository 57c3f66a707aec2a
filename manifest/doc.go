// Package manifest reads agenthost.yaml, the file that describes an agent, and builds the agent's host.Config of it.
//
// A manifest is read strictly: an unknown key, a wrong type or a value that cannot be is an error with file, line,
// column, the line itself and what was probably meant. ${NAME} and ${NAME:-default} expand to environment variables in
// every string, and what they expand to never shows in an error. Paths are relative to the manifest.
package manifest
