package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// list fetches the tools of a server.
func list(ctx context.Context, client *sdk.ClientSession) ([]serverTool, error) {
	if capabilities(client).Tools == nil {
		return nil, nil
	}
	all, err := pages(ctx, "tools", func(ctx context.Context, cursor string) ([]*sdk.Tool, string, error) {
		page, err := client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		tools, err := noNulls(page.Tools)
		return tools, page.NextCursor, err
	})
	if err != nil {
		return nil, err
	}
	return readTools(all), nil
}

func listResources(ctx context.Context, client *sdk.ClientSession) ([]*sdk.Resource, error) {
	return pages(ctx, "resources", func(ctx context.Context, cursor string) ([]*sdk.Resource, string, error) {
		page, err := uncached(ctx, func(ctx context.Context) (*sdk.ListResourcesResult, error) {
			return client.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		})
		if err != nil {
			return nil, "", err
		}
		resources, err := noNulls(page.Resources)
		return resources, page.NextCursor, err
	})
}

func listTemplates(ctx context.Context, client *sdk.ClientSession) ([]*sdk.ResourceTemplate, error) {
	return pages(ctx, "resource templates", func(ctx context.Context, cursor string) ([]*sdk.ResourceTemplate, string, error) {
		page, err := uncached(ctx, func(ctx context.Context) (*sdk.ListResourceTemplatesResult, error) {
			return client.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		})
		if err != nil {
			return nil, "", err
		}
		templates, err := noNulls(page.ResourceTemplates)
		return templates, page.NextCursor, err
	})
}

func listPrompts(ctx context.Context, client *sdk.ClientSession) ([]*sdk.Prompt, error) {
	return pages(ctx, "prompts", func(ctx context.Context, cursor string) ([]*sdk.Prompt, string, error) {
		page, err := uncached(ctx, func(ctx context.Context) (*sdk.ListPromptsResult, error) {
			return client.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, "", err
		}
		prompts, err := noNulls(page.Prompts)
		return prompts, page.NextCursor, err
	})
}

// capabilities returns what the server offers.
func capabilities(client *sdk.ClientSession) sdk.ServerCapabilities {
	if result := client.InitializeResult(); result != nil && result.Capabilities != nil {
		return *result.Capabilities
	}
	return sdk.ServerCapabilities{}
}
