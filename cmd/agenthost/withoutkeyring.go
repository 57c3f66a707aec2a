//go:build no_keyring

package main

import "github.com/agenthost/agenthost/host/tool/mcp/oauth"

// loginsIn returns the store of logins: the files, as on a machine without a keyring.
func loginsIn(files *oauth.Files) oauth.Store { return files }
