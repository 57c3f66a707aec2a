// Command server is a small MCP server that gives a model the files of a directory.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	nothing struct{}
	file    struct {
		Path string `json:"path" jsonschema:"the file's name"`
	}
	content struct {
		Path    string `json:"path"    jsonschema:"the file's name"`
		Content string `json:"content" jsonschema:"all of its text"`
	}
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("usage: server DIRECTORY")
	}
	root, err := os.OpenRoot(os.Args[1])
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "list_directory", Description: "Lists the files."}, answer(func(nothing) (string, error) { return list(root) }))
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "Reads a file."}, answer(func(in file) (string, error) {
		text, err := root.ReadFile(in.Path)
		return string(text), err
	}))
	mcp.AddTool(s, &mcp.Tool{Name: "write_file", Description: "Writes a file, all of it."}, answer(func(in content) (string, error) {
		return "written", root.WriteFile(in.Path, []byte(in.Content), 0o600)
	}))
	mcp.AddTool(s, &mcp.Tool{Name: "delete_file", Description: "Deletes a file."}, answer(func(in file) (string, error) {
		return "deleted", root.Remove(in.Path)
	}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return s.Run(ctx, &mcp.StdioTransport{})
}

func list(root *os.Root) (string, error) {
	directory, err := root.Open(".")
	if err != nil {
		return "", err
	}
	defer func() { _ = directory.Close() }() // it was only read
	names, err := directory.Readdirnames(-1)
	return strings.Join(names, "\n"), err
}

// answer returns the handler of a tool that answers with a text.
func answer[In any](do func(In) (string, error)) mcp.ToolHandlerFor[In, any] {
	return func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := do(in)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
}
