package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	inmemory "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/require"
)

// startRegistry starts a registry in memory, and returns its host. stop ends it early.
func startRegistry(t *testing.T) (host string, stop func()) {
	t.Helper()
	s := httptest.NewServer(inmemory.New(inmemory.Logger(log.New(io.Discard, "", 0)), inmemory.WithReferrersSupport(true)))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), s.Close
}

// fails runs the command, which must end with this code, and returns what it prints.
func (n *newcomer) fails(code int, args ...string) string {
	n.t.Helper()
	out, errors, err := n.run(args...)
	require.ErrorContains(n.t, err, "exit status "+string(rune('0'+code)), "%v\n%s%s", args, out, errors)
	return out + errors
}

func (n *newcomer) write(name, text string) {
	n.t.Helper()
	path := filepath.Join(n.dir, name)
	require.NoError(n.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(n.t, os.WriteFile(path, []byte(text), 0o600))
}

func (n *newcomer) read(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	require.NoError(n.t, err)
	return string(text)
}

// greeterVersion is a plugin in TypeScript that answers in place of the model.
func greeterVersion(version, asks string) string {
	return `import { plugin } from "agenthost"

export default plugin({
	name: "greeter",
	version: "` + version + `",
	capabilities: {` + asks + `},
	wrapModelCall() {
		return "greeter ` + version + `"
	},
})
`
}

// remoteAgent is an agent with the greeter of a registry.
func remoteAgent(source string) string {
	return "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\nmiddleware:\n  - plugin: " + source + "\n"
}

// TestAPluginTravels lets an author and a user work with homes of their own, and only a registry in common.
func TestAPluginTravels(t *testing.T) {
	t.Parallel()
	host, stop := startRegistry(t)
	author, user, colleague := arrive(t), arrive(t), arrive(t)

	// The author starts a plugin, develops it, and pushes it.
	author.must("plugin", "new", "greeter", "--lang", "ts", "--hooks", "wrap_model_call")
	author.dir = filepath.Join(filepath.Dir(author.dir), "greeter")
	author.must("plugin", "test")
	author.developsGreeter()
	said, _ := author.must("plugin", "keygen", "acme", "--no-password")
	key := regexp.MustCompile(`RW\S+`).FindString(said)
	require.NotEmpty(t, key)
	require.Contains(t, author.read("acme.pub"), key)
	info, err := os.Stat(filepath.Join(author.dir, "acme.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.Contains(t, author.fails(exitUsage, "plugin", "keygen", "acme", "--no-password"), "acme.key is there already")
	target := "oci://" + host + "/acme/greeter:1"
	said, _ = author.must("plugin", "push", "greeter.ts", target, "--sign", "acme.key")
	require.Contains(t, said, "pushed greeter 1.0.0")
	require.Contains(t, said, "signed   by "+key)
	require.NoFileExists(t, filepath.Join(author.dir, "greeter.wasm"), "a push changes no file")

	// The user looks at it, and names it in a manifest.
	said, _ = user.must("plugin", "inspect", target)
	require.Contains(t, said, "greeter 1.0.0, ABI 1")
	require.Contains(t, said, "embedded      a Description, which could not be compared with describe")
	said, _ = user.must("plugin", "verify", target, "--minisign", key)
	require.Contains(t, said, "comment  agenthost repository="+host+"/acme/greeter name=greeter version=1.0.0")
	source := `{oci: "` + host + `/acme/greeter:1", minisign: ` + key + `}`
	user.write("agenthost.yaml", remoteAgent(source))
	require.Contains(t, user.fails(exitUsage, "run", "hi"), host+"/acme/greeter:1 is not in agenthost.lock, which says what may be run; run 'agenthost plugin lock'")
	_, said = user.must("plugin", "pull")
	require.Contains(t, said, "pulled greeter 1.0.0")
	require.Contains(t, said, "it is not locked yet")
	require.Contains(t, user.fails(exitUsage, "run", "hi"), "run 'agenthost plugin lock'")
	said, _ = user.must("plugin", "lock")
	require.Contains(t, said, "/acme/greeter:1: greeter 1.0.0, new")
	require.Contains(t, said, "asks for         hooks wrap_model_call")
	require.Contains(t, said, "agenthost.lock: 1 plugin")
	said, _ = user.must("run", "hi")
	require.Equal(t, "greeter 1.0.0\n", said)
	said, _ = user.must("plugin", "lock")
	require.Contains(t, said, "greeter 1.0.0, unchanged")
	said, _ = user.must("validate")
	require.Contains(t, said, "ok")
	said, _ = user.must("order")
	require.Contains(t, said, "greeter")

	// A colleague gets the manifest and the lock file, and no cache.
	colleague.write("agenthost.yaml", remoteAgent(source))
	colleague.write("agenthost.lock", user.read("agenthost.lock"))
	for _, command := range [][]string{{"run", "hi"}, {"validate"}} {
		require.Contains(t, colleague.fails(exitUsage, command...), "is not on this machine, and a run uses no network; run 'agenthost plugin pull'")
	}
	require.Contains(t, colleague.fails(exitUsage, "doctor"), "failed  plugin greeter")

	// Meanwhile the author moves the tag to a version that asks for more.
	author.write("greeter.ts", greeterVersion("2.0.0", `"http.fetch": "to look up names"`))
	said, _ = author.must("plugin", "push", "greeter.ts", target, "--sign", "acme.key")
	require.Contains(t, said, "moved    from sha256:")
	said, progress := colleague.must("run", "--pull", "hi")
	require.Equal(t, "greeter 1.0.0\n", said, "the lock file decides")
	require.Contains(t, progress, "the tag has moved since it was locked, and 'agenthost plugin lock' shows what is new")
	said, _ = colleague.must("doctor")
	require.Contains(t, said, "greeter 1.0.0, ABI 1; its digest and signature are as the manifest demands")

	// The new version is refused until somebody accepts it, also under another tag.
	locked := user.read("agenthost.lock")
	said = user.fails(exitPlugin, "plugin", "lock")
	require.Contains(t, said, "/acme/greeter:1: greeter 2.0.0, before 1.0.0")
	require.Contains(t, said, "now also asks    for capabilities http.fetch")
	require.Contains(t, said, "nothing was changed, because you must accept 1 plugin that asks for more or has another signer")
	require.Equal(t, locked, user.read("agenthost.lock"))
	author.must("plugin", "push", "greeter.ts", "oci://"+host+"/acme/greeter:2", "--sign", "acme.key")
	user.write("agenthost.yaml", remoteAgent(`"`+host+`/acme/greeter:2"`))
	require.Contains(t, user.fails(exitUsage, "validate"), "agenthost.yaml")
	user.write("agenthost.yaml", remoteAgent(strings.Replace(source, "greeter:1", "greeter:2", 1)))
	require.Contains(t, user.fails(exitPlugin, "plugin", "pull"), "it asks for more than the lock file says: capabilities http.fetch; 'agenthost plugin lock' shows the difference")
	said, _ = user.must("plugin", "lock", "--accept")
	require.Contains(t, said, "/acme/greeter:1: is no longer in the manifest")
	said, _ = user.must("run", "hi")
	require.Equal(t, "greeter 2.0.0\n", said)

	// A hook that sees more messages than before asks for more, too.
	seesAll := strings.Replace(greeterVersion("3.0.0", `"http.fetch": "to look up names"`), "wrapModelCall() {", "wrapModelCall: { messages: \"all\", hook() {", 1)
	author.write("greeter.ts", strings.Replace(seesAll, "\t},\n", "\t} },\n", 1))
	author.must("plugin", "push", "greeter.ts", "oci://"+host+"/acme/greeter:2", "--sign", "acme.key")
	require.Contains(t, user.fails(exitPlugin, "plugin", "lock"), "now also asks    for messages wrap_model_call all")
	author.must("plugin", "push", "greeter.ts", "oci://"+host+"/acme/greeter:3", "--sign", "acme.key")
	user.write("agenthost.yaml", remoteAgent(strings.Replace(source, "greeter:1", "greeter:3", 1)))
	require.Contains(t, user.fails(exitPlugin, "plugin", "pull"), "it asks for more than the lock file says: messages wrap_model_call all")
	require.Contains(t, user.fails(exitPlugin, "run", "--pull", "hi"), "it asks for more than the lock file says: messages wrap_model_call all")
	user.must("plugin", "lock", "--accept")
	said, _ = user.must("run", "--pull", "hi")
	require.Equal(t, "greeter 3.0.0\n", said)
	user.write("agenthost.yaml", remoteAgent(strings.Replace(source, "greeter:1", "greeter:2", 1)))
	user.must("plugin", "lock", "--accept")

	// What the manifest demands and the lock file does not have is refused.
	other, _ := user.must("plugin", "keygen", "other", "--no-password")
	stranger := regexp.MustCompile(`RW\S+`).FindString(other)
	user.write("agenthost.yaml", remoteAgent(strings.Replace(strings.Replace(source, "greeter:1", "greeter:2", 1), key, stranger, 1)))
	require.Contains(t, user.fails(exitUsage, "run", "hi"), "it has no signer that the manifest trusts; run 'agenthost plugin lock'")
	require.Contains(t, user.fails(exitPlugin, "plugin", "lock"), "it is signed by someone else, or was changed")
	require.Contains(t, user.fails(exitPlugin, "plugin", "verify", target, "--minisign", stranger), "it is signed by someone else")

	// A lock file that was changed by hand is refused as well.
	colleague.write("agenthost.lock", strings.Replace(locked, `hooks: ["wrap_model_call"]`, "hooks: []", 1))
	require.Contains(t, colleague.fails(exitUsage, "run", "hi"), "it asks for more than was accepted: hooks wrap_model_call; 'agenthost plugin lock' shows the difference")
	colleague.write("agenthost.lock", locked+"x")
	require.Contains(t, colleague.fails(exitUsage, "run", "hi"), "agenthost.lock:")
	colleague.write("agenthost.lock", locked)

	// A damaged cache is found, and repaired.
	cached, err := filepath.Glob(filepath.Join(filepath.Dir(colleague.dir), ".cache", "agenthost", "plugins", "*.wasm"))
	require.NoError(t, err)
	require.Len(t, cached, 1)
	require.NoError(t, os.WriteFile(cached[0], []byte("damaged"), 0o600))
	require.Contains(t, colleague.fails(exitUsage, "run", "hi"), "'agenthost plugin pull' fetches it again")
	colleague.must("plugin", "pull")

	// A run needs no registry.
	stop()
	said, _ = colleague.must("run", "hi")
	require.Equal(t, "greeter 1.0.0\n", said)
	_, said = colleague.must("plugin", "pull")
	require.Contains(t, said, "is already on this machine")
	colleague.fails(exitFailed, "plugin", "lock")
}

// developsGreeter lets agenthost dev serve the new project while its author makes greeter 1.0.0 of it, with a mistake on the way.
func (n *newcomer) developsGreeter() {
	n.t.Helper()
	printed := newScreen()
	stop := develop(n.t, n.dir, n.env, printed, os.Args[0], "dev", "--listen", "127.0.0.1:0")
	defer stop()
	await := func(expression string) []string {
		n.t.Helper()
		return printed.await(n.t, expression)
	}
	await(`greeter.ts: checked in \d+\.\d s; 1 golden case passed\n`)
	address := await(`serving try-greeter at (http://\S+);`)[0]
	answers := func(want string) {
		n.t.Helper()
		said, _ := n.must("run", "-q", "--server", address, "hi")
		require.Equal(n.t, want+"\n", said)
	}
	answers("These are the files.")
	n.write("greeter.ts", greeterVersion("1.0.0", "")+"}")
	await(`ERROR greeter.ts: it does not load\n  read: script: greeter.ts:11: Unexpected "}"\n  the last good version goes on serving\n`)
	answers("These are the files.")
	n.write("greeter.ts", greeterVersion("1.0.0", ""))
	await(`ERROR greeter.ts: 1 of 1 golden case failed\n  testdata/instructs.yaml: FAILED\n(.*\n)+  the last good version goes on serving\n`)
	n.must("plugin", "test", "--update")
	await(`greeter.ts: well again: checked in`)
	await(`all is well again`)
	answers("greeter 1.0.0")
}

// TestAPluginIsPulledIntoAFile pulls modules and signatures for a manifest that names files.
func TestAPluginIsPulledIntoAFile(t *testing.T) {
	t.Parallel()
	host, _ := startRegistry(t)
	n := arrive(t)
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	n.write("redact.wasm", string(module))
	said, _ := n.must("plugin", "keygen", "acme", "--no-password")
	key := regexp.MustCompile(`RW\S+`).FindString(said)
	n.must("plugin", "pack", "redact.wasm")
	repository := host + "/redact"
	n.must("plugin", "sign", "redact.wasm", "--key", "acme.key", "--repository", repository)
	n.must("plugin", "verify", "redact.wasm", "--minisign", key)
	said, _ = n.must("plugin", "push", "redact.wasm", "oci://"+repository+":1")
	require.Contains(t, said, "signed   redact.wasm.minisig")

	said, _ = n.must("plugin", "pull", "oci://"+repository+":1", "--minisign", key, "-o", "pulled.wasm")
	require.Contains(t, said, "signed   by "+key)
	require.Equal(t, n.read("redact.wasm"), n.read("pulled.wasm"))
	require.Equal(t, n.read("redact.wasm.minisig"), n.read("pulled.wasm.minisig"))
	n.must("plugin", "pull", "oci://"+repository+":1", "--minisign", key, "-o", "pulled.wasm")
	n.write("pulled.wasm", "something else")
	require.Contains(t, n.fails(exitUsage, "plugin", "pull", "oci://"+repository+":1", "-o", "pulled.wasm"), "is there already, with another content")
	require.Equal(t, "something else", n.read("pulled.wasm"))
	require.Contains(t, n.fails(exitPlugin, "plugin", "verify", "pulled.wasm", "--minisign", key), "it is signed by someone else, or was changed")

	// The signature of a file that is not packed does not fit.
	n.write("redact.wasm", string(module)+"\x00\x15\x0b.debug_infoinfo info"[:23])
	require.Contains(t, n.fails(exitUsage, "plugin", "push", "redact.wasm", "oci://"+repository+":1"), "redact.wasm.minisig belongs to the file before packing")

	for says, args := range map[string][]string{
		"plugin push: FILE is missing":                             {"push"},
		`"redact:1": it does not begin with the host`:              {"push", "redact.wasm", "redact:1"},
		"give the tag to set, and no digest":                       {"push", "redact.wasm", repository + "@sha256:" + strings.Repeat("0", 64)},
		"-o and --minisign are for one plugin; name it":            {"pull", "-o", "x.wasm"},
		"--key is missing":                                         {"sign", "redact.wasm"},
		"--minisign is missing":                                    {"verify", "redact.wasm"},
		"the FILE comes first":                                     {"push", "oci://" + repository + ":1", "redact.wasm"},
		"it begins with https:// in place of oci://":               {"push", "redact.wasm", "https://" + repository + ":1"},
		"leave the tag and the digest out of":                      {"sign", "redact.wasm", "--key", "acme.key", "--repository", repository + ":1"},
		"is not the name of a repository":                          {"sign", "redact.wasm", "--key", "acme.key", "--repository", "redact"},
		"name the file that ends in .key":                          {"sign", "redact.wasm", "--key", "acme.pub"},
		"leave .key out of the name":                               {"keygen", "acme.key"},
		"greeter.ts is the name of a script":                       {"pack", "redact.wasm", "-o", "greeter.ts"},
		"plugin file: none.ts: there is no such file":              {"pack", "none.ts"},
		`--minisign: minisign: "RWx" is not a public key`:          {"verify", "redact.wasm", "--minisign", "RWx"},
		"it does not exist, or you may not read it":                {"inspect", "oci://" + repository + ":9"},
		"missing.key: there is no such file":                       {"push", "redact.wasm", "oci://" + repository + ":1", "--sign", "missing.key"},
		"the key needs a password; run the command at a terminal,": {"keygen", "locked"},
	} {
		require.Contains(t, n.fails(exitUsage, append([]string{"plugin"}, args...)...), says)
	}
	n.write("plain.wasm", string(module))
	require.Contains(t, n.fails(exitFailed, "plugin", "push", "plain.wasm", "oci://localhost:1/redact:1"), "check the host and the port, and whether the server runs")
	require.Contains(t, n.fails(exitFailed, "plugin", "pack", "redact.wasm", "-o", "none/redact.wasm"), "none/redact.wasm: there is no directory none")
	require.Contains(t, n.fails(exitPlugin, "plugin", "push", "acme.pub", "oci://"+repository+":1"), "only a plugin that loads can be packed")
}

// TestAKeyWithAPassword signs with a key whose password a variable has.
func TestAKeyWithAPassword(t *testing.T) {
	t.Parallel()
	n := arrive(t, keyPassword+"=open sesame")
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	n.write("redact.wasm", string(module))
	said, _ := n.must("plugin", "keygen", "acme")
	n.must("plugin", "sign", "redact.wasm", "--key", "acme.key")
	n.must("plugin", "verify", "redact.wasm", "--minisign", regexp.MustCompile(`RW\S+`).FindString(said))
	wrong := arrive(t, keyPassword+"=wrong")
	wrong.dir = n.dir
	require.Contains(t, wrong.fails(exitUsage, "plugin", "sign", "redact.wasm", "--key", "acme.key"), "acme.key: the password is wrong, or the file is damaged")
	none := arrive(t)
	none.dir = n.dir
	require.Contains(t, none.fails(exitUsage, "plugin", "sign", "redact.wasm", "--key", "acme.key"), "set "+keyPassword)
}

// TestAPluginByURL loads a plugin that a server of files has.
func TestAPluginByURL(t *testing.T) {
	t.Parallel()
	n := arrive(t)
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	files := httptest.NewServer(fileServer(map[string][]byte{"/redact.wasm": module, "/other.wasm": []byte("x")}))
	t.Cleanup(files.Close)
	sum := sha256Hex(module)
	n.write("agenthost.yaml", remoteAgent("{https: \""+files.URL+"/redact.wasm\", sha256: "+sum+"}"))
	require.Contains(t, n.fails(exitUsage, "run", "hi"), "run 'agenthost plugin lock'")
	n.must("plugin", "pull")
	n.must("plugin", "lock")
	require.Contains(t, n.read("agenthost.lock"), sum)
	files.Close()
	said, _ := n.must("run", "hi")
	require.Equal(t, "hi\n", said)

	n.write("agenthost.yaml", remoteAgent("{https: \"https://example.com/redact.wasm\"}"))
	require.Contains(t, n.fails(exitUsage, "validate"), "a plugin with https needs sha256")
	n.write("agenthost.yaml", remoteAgent("{https: \"http://example.com/redact.wasm\", sha256: "+sum+"}"))
	require.Contains(t, n.fails(exitUsage, "validate"), "does not begin with https://")
}

// TestAnAgentTravels pushes a whole agent, and runs it elsewhere.
func TestAnAgentTravels(t *testing.T) {
	t.Parallel()
	host, _ := startRegistry(t)
	author, user := arrive(t), arrive(t)
	author.write("greeter.ts", greeterVersion("1.0.0", ""))
	author.must("plugin", "push", "greeter.ts", "oci://"+host+"/greeter:1")
	require.NoError(t, os.Remove(filepath.Join(author.dir, "greeter.ts")))

	author.write("agenthost.yaml", `apiVersion: agenthost/v1
name: support
env_file: settings.env
model: {provider: scripted, echo: true}
system_prompt: {file: prompts/system.md}
middleware:
  - plugin: {oci: "`+host+`/greeter:1"}
  - plugin: ./policy.ts
  - skills: {sources: [/skills], root: .}
  - memory: {sources: [/AGENTS.md], root: .}
  - filesystem: {root: data}
tools:
  - agent: {file: other/worker.yaml, name: worker, description: Works.}
`)
	for name, text := range map[string]string{
		"settings.env": "KEY=secret", "prompts/system.md": "Be brief.", "policy.ts": greeterVersion("0.1.0", ""), "AGENTS.md": "Notes.",
		"skills/tea/SKILL.md": "---\nname: tea\ndescription: Makes tea.\n---\nBoil.\n", "skills/.hidden": "x", "data/a.txt": "data", "unrelated.txt": "x",
		"other/worker.yaml": remoteAgent(`{oci: "` + host + `/greeter:1"}`), ".secret": "x", "other/prompt.md": "x",
	} {
		author.write(name, text)
	}
	said, _ := author.must("plugin", "lock")
	require.Contains(t, said, filepath.Join("other", "worker.lock")+": 1 plugin", "an agent that is a tool has a lock file of its own")
	said, _ = author.must("plugin", "keygen", "acme", "--no-password")
	key := regexp.MustCompile(`RW\S+`).FindString(said)
	said, listed := author.must("agent", "push", "oci://"+host+"/support:1", "data", "--sign", "acme.key")
	require.Contains(t, said, "pushed 9 files")
	require.Contains(t, listed, "· settings.env is left out")

	require.Contains(t, user.fails(exitPlugin, "agent", "pull", "oci://"+host+"/support:1", "--minisign", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"),
		"it is signed by someone else")
	said, _ = user.must("agent", "pull", "oci://"+host+"/support:1", "--minisign", key)
	require.Contains(t, said, "agenthost plugin pull -f "+filepath.Join("support", "agenthost.yaml"))
	user.dir = filepath.Join(filepath.Dir(user.dir), "support")
	var files []string
	require.NoError(t, filepath.WalkDir(user.dir, func(path string, entry os.DirEntry, err error) error {
		if !entry.IsDir() {
			name, _ := filepath.Rel(user.dir, path)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	}))
	require.Equal(t, []string{
		"AGENTS.md", "agenthost.lock", "agenthost.yaml", "data/a.txt", "other/worker.lock", "other/worker.yaml", "policy.ts", "prompts/system.md", "skills/tea/SKILL.md",
	}, files)
	user.write("settings.env", "KEY=of the user")
	said, _ = user.must("run", "--pull", "hi")
	require.Equal(t, "greeter 1.0.0\n", said)

	author.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\nsystem_prompt: {file: ../outside.md}\n")
	require.Contains(t, author.fails(exitUsage, "agent", "push", "oci://"+host+"/support:1"), "the directory of the manifest; move it there")
	require.Contains(t, user.fails(exitUsage, "agent", "pull", "oci://"+host+"/nothing:1"), "it does not exist, or you may not read it")
	require.Contains(t, user.fails(exitUsage, "agent", "pull", "oci://"+host+"/support:1", "-o", "."), "is not empty; name another directory with -o DIR")
}

// TestBothPullsHaveTheSameExitCodes compares 'agent pull' with 'plugin pull' where a registry refuses, lacks or fails, or the target is taken.
func TestBothPullsHaveTheSameExitCodes(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.Split(r.URL.Path, "/")[2]) // that of /v2/401/a/manifests/1
		if err != nil {
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(failing.Close)
	host, stop := startRegistry(t)
	n := arrive(t)
	n.write("agenthost.yaml", "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n")
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	n.write("redact.wasm", string(module))
	n.must("agent", "push", "oci://"+host+"/agent:1")
	n.must("plugin", "push", "redact.wasm", "oci://"+host+"/plugin:1")
	at := strings.TrimPrefix(failing.URL, "http://")
	n.write("taken", "something else")
	n.write("full/file", "")
	for _, test := range []struct {
		code          int
		says          string
		agent, plugin string
		args          []string
	}{
		{exitUsage, "it does not exist", host + "/none:1", host + "/none:1", nil},
		{exitPlugin, "use 'agenthost ", host + "/plugin:1", host + "/agent:1", []string{"-o", "new"}},
		{exitUsage, "taken", host + "/agent:1", host + "/plugin:1", []string{"-o", "taken"}},
		{exitUsage, "name another", host + "/agent:1", host + "/plugin:1", []string{"-o", "taken/below"}},
		{exitUsage, "refuses access", at + "/401/a:1", at + "/401/a:1", nil},
		{exitUsage, "", at + "/403/a:1", at + "/403/a:1", nil},
		{exitFailed, "", at + "/500/a:1", at + "/500/a:1", nil},
	} {
		for command, source := range map[string]string{"agent": test.agent, "plugin": test.plugin} {
			require.Contains(t, n.fails(test.code, append([]string{command, "pull", "oci://" + source}, test.args...)...), test.says)
		}
	}
	stop()
	for _, command := range []string{"agent", "plugin"} {
		require.Contains(t, n.fails(exitFailed, command, "pull", "oci://"+host+"/"+command+":1"), "check the host and the port, and whether the server runs")
	}
}

func fileServer(files map[string][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(content)
	})
}

func sha256Hex(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// TestAPersonAcceptsAtTheTerminal answers the question of plugin lock.
func TestAPersonAcceptsAtTheTerminal(t *testing.T) {
	t.Parallel()
	host, _ := startRegistry(t)
	b := setup(t, remoteAgent(`{oci: "`+host+`/greeter:1"}`))
	push := func(version, asks string) {
		b.write("greeter.ts", greeterVersion(version, asks))
		require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "push", filepath.Join(b.dir, "greeter.ts"), "oci://"+host+"/greeter:1"), &b.err)
	}
	lock := func(input string) int {
		b.out.Reset()
		b.err.Reset()
		return execute(t.Context(), []string{"plugin", "lock", "-f", filepath.Join(b.dir, "agenthost.yaml")},
			streams{in: strings.NewReader(input), out: &b.out, err: &b.err, terminal: true})
	}
	push("1", "")
	require.Equal(t, exitOK, lock(""), &b.err)
	require.NotContains(t, b.err.String(), "Accept")
	push("2", `"clock.now": "to greet at the right time"`)
	require.Equal(t, exitPlugin, lock("n\n"), &b.err)
	require.Contains(t, b.out.String(), "now also asks    for capabilities clock.now")
	require.Contains(t, b.err.String(), "Accept this? [y/n]")
	require.Equal(t, exitPlugin, lock(""), "nobody answers")
	require.Equal(t, exitOK, lock("y\n"), &b.err)
	push("3", "")
	require.Equal(t, exitOK, lock(""), "a plugin that asks for less needs no answer")
	require.Contains(t, b.out.String(), "no longer asks   for capabilities clock.now")
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "greeter 3\n", b.out.String())
}

// TestSeveralTrustedSigners locks a plugin that one of two trusted keys has signed, and then the other.
func TestSeveralTrustedSigners(t *testing.T) {
	t.Parallel()
	host, _ := startRegistry(t)
	n := arrive(t)
	n.write("greeter.ts", greeterVersion("1", ""))
	keys := map[string]string{}
	for _, name := range []string{"a", "b"} {
		said, _ := n.must("plugin", "keygen", name, "--no-password")
		keys[name] = regexp.MustCompile(`RW\S+`).FindString(said)
	}
	n.write("agenthost.yaml", remoteAgent(`{oci: "`+host+`/greeter:1", minisign: [`+keys["a"]+", "+keys["b"]+"]}"))
	for version, signer := range []string{"a", "b", "a"} {
		n.write("greeter.ts", greeterVersion(strconv.Itoa(version), ""))
		n.must("plugin", "push", "greeter.ts", "oci://"+host+"/greeter:1", "--sign", signer+".key")
		n.must("plugin", "lock")
		require.Contains(t, n.read("agenthost.lock"), keys[signer])
		said, _ := n.must("run", "hi")
		require.Equal(t, "greeter "+strconv.Itoa(version)+"\n", said)
	}
	// With the signatures of both, the one in the lock file counts.
	n.must("plugin", "push", "greeter.ts", "oci://"+host+"/greeter:1", "--sign", "b.key")
	n.must("plugin", "pull")
	require.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(n.dir), ".cache", "agenthost", "plugins")))
	said, _ := n.must("run", "--pull", "hi")
	require.Equal(t, "greeter 2\n", said)

	// A key that the manifest no longer trusts must be replaced by a person.
	n.write("agenthost.yaml", remoteAgent(`{oci: "`+host+`/greeter:1", minisign: `+keys["b"]+"}"))
	require.Contains(t, n.fails(exitPlugin, "plugin", "lock"), "signed by        "+keys["b"]+", before "+keys["a"])
	n.must("plugin", "lock", "--accept")
	n.must("run", "hi")
}
