// Package script reads scripted models from YAML: fixed answers, rules and echoes. Manifests and the cases that test agents share
// this format.
package script
