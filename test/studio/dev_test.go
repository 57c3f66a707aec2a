package studio_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// command builds the command once for all tests, and returns its path.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agenthost-studio-*")
	if err != nil {
		return "", err
	}
	browser.end = append([]context.CancelFunc{func() { _ = os.RemoveAll(dir) }}, browser.end...)
	path := filepath.Join(dir, "agenthost")
	said, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, "../../cmd/agenthost").CombinedOutput()
	if err != nil {
		err = &exec.Error{Name: string(bytes.TrimSpace(said)), Err: err}
	}
	return path, err
})

// developer is someone who changes an agent while `agenthost dev` serves it, and looks at the page.
type developer struct {
	*page

	t     *testing.T
	dir   string
	lines chan string // that dev prints
}

const loudAgent = `apiVersion: agenthost/v1
name: ada
model: {provider: scripted, rules: rules.yaml}
middleware:
  - plugin: ./loud.js
`

const loudRules = `rules:
  - {when: "(?s)^(.*)$", say: "You said: $1"}
`

const loud = `import { plugin } from "agenthost"

export default plugin({
	name: "loud",
	version: "1.0.0",

	beforeModel: {
		messages: "all",
		hook(call) {
			const said = String(call.messages.at(-1)?.content ?? "")
			call.log.info("it was said: " + said)
			if (said === "boom") throw new Error("<b>it hurts</b>")
		},
	},

	wrapModelCall(call) {
		const [answer] = call.next().messages
		return String(answer.content).toUpperCase()
	},
})
`

// develops starts dev in a new directory, with this manifest, and opens its page.
func develops(t *testing.T, manifest string) *developer {
	t.Helper()
	chromium(t)
	path, err := command()
	require.NoError(t, err)
	a := &developer{t: t, dir: t.TempDir(), lines: make(chan string, 1000)}
	a.save("agenthost.yaml", manifest)
	a.save("rules.yaml", loudRules)
	a.save("loud.js", loud)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	dev := exec.CommandContext(ctx, path, "dev", "--listen", "127.0.0.1:0")
	dev.Dir = a.dir
	dev.Cancel = func() error { return dev.Process.Signal(os.Interrupt) }
	out, err := dev.StdoutPipe()
	require.NoError(t, err)
	dev.Stderr = os.Stderr
	require.NoError(t, dev.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(a.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			select {
			case a.lines <- lines.Text():
			default: // nobody reads so many
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-read
		_ = dev.Wait() // it was stopped
	})
	a.page = open(t, a.says(`serving .+ at (http://\S+);`)[0])
	return a
}

// says waits for a line of dev, and returns what the groups match.
func (a *developer) says(expression string) []string {
	a.t.Helper()
	wanted, seen := regexp.MustCompile(expression), []string(nil)
	for line := range a.lines {
		if found := wanted.FindStringSubmatch(line); found != nil {
			return found[1:]
		}
		seen = append(seen, line)
	}
	require.Fail(a.t, "dev has ended", strings.Join(seen, "\n"))
	return nil
}

// save writes a file as editors do.
func (a *developer) save(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	require.NoError(a.t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(a.t, os.Rename(path+".new", path))
}

// A mistake in a file shows with its place, and goes away when it is mended. The new module is named, and used.
func TestDevShowsAMistake(t *testing.T) {
	t.Parallel()
	a := develops(t, loudAgent)
	a.say("hello")
	a.see("YOU SAID: HELLO")
	a.save("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() +", 1))
	a.wait(`document.querySelector('.problems')?.textContent.includes('1 problem in your files')`)
	a.wait(`/loud\.js:19/.test(document.querySelector('.problems li code').textContent)`)
	a.see("Unexpected")
	a.see("The last good version goes on serving.")
	a.save("agenthost.yaml", loudAgent+"recursion_limits: 3\n")
	a.see("2 problems in your files")
	a.see("agenthost.yaml:6:1")
	a.see(`did you mean "recursion_limit"`)
	a.shoot("dev-problems")
	a.axe("problems")
	a.click(`button('Hide')`)
	a.wait(`!has('agenthost.yaml:6:1')`)
	a.say("again")
	a.see("YOU SAID: AGAIN")

	a.save("agenthost.yaml", loudAgent)
	a.save("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() + '!'", 1))
	a.wait(`!document.querySelector('.problems')`)
	a.see("in use since")
	a.see("loud is now sha256:")
	a.view("Plugins")
	a.wait(`document.querySelector('.notice.good').textContent.includes('is now ' + all('.part dt').find((n) => n.textContent === 'in use now').nextSibling.textContent)`)
	a.shoot("dev-changed")
	a.axe("a change")
	a.click(`button('Dismiss')`)
	a.wait(`!has('in use since')`)
	a.view("Chat")
	a.say("now")
	a.see("YOU SAID: NOW!")
}

// A run is under way while its plugin changes. The page says that it keeps what it began with, as long as it does.
func TestARunThatBeganBeforeAChange(t *testing.T) {
	t.Parallel()
	arrived, goOn := make(chan struct{}, 10), make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
		arrived <- struct{}{}
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json") // a plugin around the model wants the whole answer
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(provider.Close)
	a := develops(t, strings.Replace(loudAgent, "{provider: scripted, rules: rules.yaml}", `{provider: openai, name: m, base_url: "`+provider.URL+`/v1"}`, 1))
	a.say("hello")
	<-arrived
	a.save("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() + '!'", 1))
	a.see("in use since")
	a.see("This run began before the last change, and keeps what it began with.")
	a.shoot("dev-keeps")
	goOn <- struct{}{}
	a.see("DONE")
	a.wait(`!has('keeps what it began with') && !has('DONE!')`)
	a.say("again")
	<-arrived
	goOn <- struct{}{}
	a.see("DONE!")
	a.wait(`!has('keeps what it began with')`)
}

// runs runs the command in the directory, and returns what it prints.
func (a *developer) runs(args ...string) string {
	a.t.Helper()
	path, err := command()
	require.NoError(a.t, err)
	run := exec.CommandContext(a.t.Context(), path, args...)
	run.Dir = a.dir
	said, err := run.CombinedOutput()
	require.NoError(a.t, err, "%s", said)
	return string(said)
}

// choose chooses the first option that has a text.
func (p *page) choose(field, option string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(() => {
		const s = field(%q), o = [...s.options].find((o) => o.textContent.includes(%q));
		if (!o) return false;
		s.value = o.value;
		s.dispatchEvent(new Event('change', {bubbles: true}));
		return true;
	})()`, field, option))
}

// edit replaces a part of a long text, as someone does who selects it and types.
func (p *page) edit(field, part, by string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(() => {
		const f = field(%q), at = f.value.indexOf(%q);
		if (at < 0) return false;
		f.focus();
		f.setSelectionRange(at, at + %d);
		return true;
	})()`, field, part, len(part)))
	call(p, input.InsertText, input.InsertTextParams{Text: by})
}

func ctrl() chromedp.KeyOption { return chromedp.KeyModifiers(chromedp.ModifierCtrl) }
