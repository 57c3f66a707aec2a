package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// list fetches the tools of a server page by page.
func list(ctx context.Context, client *sdk.ClientSession) ([]serverTool, error) {
	if caps := client.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil
	}
	var all []*sdk.Tool
	size := 0
	cursors := map[string]bool{}
	for params := (&sdk.ListToolsParams{}); ; {
		page, err := guarded(func() (*sdk.ListToolsResult, error) { return client.ListTools(ctx, params) })
		if err != nil {
			return nil, fmt.Errorf("list the tools of the server: %w", err)
		}
		for _, t := range page.Tools {
			size += sizeOf(t)
		}
		all = append(all, page.Tools...)
		cursors[params.Cursor] = true
		switch {
		case len(all) > maxTools:
			return nil, fmt.Errorf("the server has more than %d tools", maxTools)
		case size > maxSchemas:
			return nil, fmt.Errorf("the descriptions of the server's tools have more than %d bytes", maxSchemas)
		case page.NextCursor == "":
			return readTools(all), nil
		case cursors[page.NextCursor]:
			return nil, errors.New("the server lists its tools in pages that refer back to each other")
		case len(cursors) >= maxPages:
			return nil, fmt.Errorf("the server lists its tools in more than %d pages", maxPages)
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
}
