//go:build !no_keyring

package main

import (
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth/keyring"
)

// loginsIn returns the store of logins: the user's keyring, and the files where there is none.
func loginsIn(files *oauth.Files) oauth.Store { return keyring.Open(files) }
