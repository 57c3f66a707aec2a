// Package agui holds tests in which the official clients of AG-UI use a started `agenthost serve`: @ag-ui/client, which checks every event and
// their order, and the types of ag-ui-protocol for Python. make servers installs them. CopilotKit's runtime
// is large, so make copilotkit installs and tests it. The scripts are in testdata; each prints a line for what
// it has shown, and fails with a stack trace.
package agui
