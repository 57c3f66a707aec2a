// Package config reads serve.yaml, the file that says how agenthost serve serves agents: where it listens, who may use it, and how much. The command's flag
// --config names it.
//
//	listen: 0.0.0.0:8123
//	hosts: [agents.example.com]
//	auth:
//	  keys:
//	    - {key_env: ADA_KEY, owner: ada, scopes: [threads, runs, store]}
//	storage: {postgres: "${DATABASE_URL}"}
//
// The file is read as strictly as a manifest: an unknown key, a wrong type or an impossible value is an error with its line and a
// suggestion. ${NAME} expands to an environment variable in every string. Paths are relative to the file.
//
// # Failing closed
//
// Without a file, the server listens on 127.0.0.1 and knows no users. An address that others can reach needs auth. Every limit has a default,
// and none can be turned off: a limit of 0 is an error. An auth without a way in, a key without an owner and a scope that does not exist are
// errors too.
//
// # Where to find what
//
//   - the file as a whole: config.go; its schema: schema.go
//   - where the server listens: listen.go; who may use it: auth.go, and how requests are authenticated: authenticator.go
//   - the certificate: certificate.go
//   - how much: limits.go; what is kept, and for how long: storage.go; other addresses, and the log: webhooks.go, log.go
package config
