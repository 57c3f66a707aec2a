// Package manifest reads agenthost.yaml, the file that describes an agent, and builds the agent from it.
//
// A manifest is read strictly: an unknown key, a wrong type or an impossible value is an error with file, line, column, the line
// itself and a suggestion. ${NAME} and ${NAME:-default} expand to environment variables in every string, and errors never show
// their values. Paths are relative to the manifest.
package manifest
