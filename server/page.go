package server

import (
	"html/template"
	"net/http"
)

// pageTemplate is the first page: it says where things are.
var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>agenthost</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
:root { color-scheme: light dark }
code { font: 14px ui-monospace, monospace }
dt { margin-top: .75rem }
</style>
<h1>agenthost</h1>
<p>This server runs agents. It speaks LangGraph's API, so that its SDKs and pages such as agent-chat-ui can use it.</p>
<dl>
<dt><code>POST /threads</code>, <code>POST /threads/{id}/runs/stream</code></dt><dd>start a thread, and a run in it</dd>
<dt><code>POST /assistants/search</code></dt><dd>list the agents</dd>
<dt><code><a href="/info">/info</a></code></dt><dd>what this server is</dd>
<dt><code><a href="/openapi.json">/openapi.json</a></code></dt><dd>all paths, for tools that make clients</dd>
<dt><code><a href="/ok">/ok</a></code>, <code><a href="/healthz">/healthz</a></code>, <code><a href="/readyz">/readyz</a></code></dt><dd>whether it works</dd>
</dl>
<p>Version {{.}}</p>
</html>
`))

// page answers with the first page. It needs no credential, and says nothing about the agents.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	_ = pageTemplate.Execute(w, s.config.Version)
}
