// Command shout is an agenthost plugin that puts the results of tools in upper case.
package main

import (
	"strings"

	sdk "github.com/agenthost/agenthost/sdk/go"
)

type shout struct{}

func (shout) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	answer, err := c.Next(nil)
	if err != nil {
		return nil, nil, err
	}
	return sdk.Answer(strings.ToUpper(answer.Text())), nil, nil
}

func init() { sdk.Register(shout{}, sdk.Description{Name: "shout", Version: "1.0.0"}) }

func main() {}
