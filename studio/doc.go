// Package studio is the page of agenthost: it shows what agents do, and why. Package server serves it at /, and `agenthost studio` makes a file of it
// that shows a recorded thread without a server.
//
// The sources are in web/, JavaScript with types in comments, which `tsc --checkJs` checks. They are bundled by esbuild into dist/, which is committed, so
// that nobody needs Node.js to build agenthost. The libraries that the page is made of are in web/vendor/, with their licences. The page sends requests
// to its own server only, and never makes HTML of a text: what models, tools and plugins say is hostile.
//
// # Where to find what
//
//   - the page for a server, and the page as a file: page.go, file.go
//   - the bundle: build/
//   - events to what the views show, without a browser: web/model/
//   - the views: web/ui/; requests to the server: web/client.js; what is open: web/session.js
package studio

//go:generate go run ./build
