package studio_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is the browser of all tests, which each have a tab.
var browser struct {
	once sync.Once
	ctx  context.Context //nolint:containedctx // it is that of the browser
	err  error
	end  []context.CancelFunc
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(browser.end) {
		end()
	}
	os.Exit(code)
}

// chromium returns the path of the browser. Without one the test is skipped, unless AGENTHOST_UI demands one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("AGENTHOST_UI") == "" {
		t.Skip("there is no Chromium; install Debian's package chromium")
	}
	require.Fail(t, "there is no Chromium; install Debian's package chromium")
	return ""
}

func start(path string) (context.Context, error) {
	browser.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 800))
		allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, endBrowser := chromedp.NewContext(allocated)
		browser.ctx, browser.end = ctx, []context.CancelFunc{end, endBrowser} //nolint:fatcontext // it is set once
		browser.err = chromedp.Do(ctx)
	})
	return browser.ctx, browser.err
}

// patience is how long a page may take for anything.
const patience = 60 * time.Second

// page is a tab that shows the page.
type page struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // it is that of the tab
	url string

	mu       sync.Mutex
	problems []string // errors in the page, and requests to anywhere else
	expected []string // parts of errors that a test provokes
}

// open opens the page of a server, or a file.
func open(t *testing.T, url string) *page {
	t.Helper()
	parent, err := start(chromium(t))
	require.NoError(t, err)
	ctx, end := chromedp.NewContext(parent, chromedp.WithNewBrowserContext()) // downloads and storage are those of this test
	p := &page{t: t, ctx: ctx, url: url}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	require.NoError(t, chromedp.Listen(ctx, p.listen))
	call(p, network.Enable, network.EnableParams{})
	call(p, cdplog.Enable, cdp.Empty{})
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(url)))
	t.Cleanup(func() {
		end()
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Empty(t, slices.DeleteFunc(p.problems, func(problem string) bool {
			return slices.ContainsFunc(p.expected, func(part string) bool { return strings.Contains(problem, part) })
		}))
	})
	return p
}

// call sends a command of the protocol.
func call[P, R any](p *page, command cdp.Command[P, R], parameters P) R {
	p.t.Helper()
	out, err := chromedp.Call(p.ctx, command, parameters)
	require.NoError(p.t, err)
	return out
}

// listen notes what must not happen in the page.
func (p *page) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.note(text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" && len(e.Args) > 0 {
			p.note("console: " + e.Args[0].Description + string(e.Args[0].Value))
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == "error" {
			p.note(fmt.Sprint(e.Entry.Text, " ", e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		if to := e.Request.URL; !strings.HasPrefix(to, p.url) && !strings.HasPrefix(to, "data:") && !strings.HasPrefix(to, "blob:"+p.url) {
			p.note("a request to " + to)
		}
	}
}

func (p *page) note(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// expect says that errors with a text are what the test provokes.
func (p *page) expect(parts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, parts...)
}

// library finds things as people do: by their roles and names.
const library = `
const nameOf = (n) => (n.getAttribute('aria-label') || n.labels?.[0]?.textContent || n.textContent || n.placeholder || '').replace(/\s+/g, ' ').trim();
const seen = (n) => n.checkVisibility({visibilityProperty: true}) && n.getBoundingClientRect().width > 0;
const all = (q) => [...document.querySelectorAll(q)].filter(seen);
const named = (q, name) => all(q).find((n) => nameOf(n) === name) ?? all(q).find((n) => nameOf(n).includes(name));
const button = (name) => named('button, a, summary, [role=option], label', name);
const field = (name) => named('input, textarea, select', name);
const text = () => document.body.innerText;
const has = (s) => text().includes(s);
`

// eval evaluates an expression in the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, end := context.WithTimeout(p.ctx, patience)
	defer end()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T]("(async () => {"+library+"return await ("+expression+")})()", chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return out
}

// wait waits until an expression is true.
func (p *page) wait(expression string) {
	p.t.Helper()
	said := eval[string](p, `new Promise((done) => {
		const began = performance.now();
		const look = () => {
			let value;
			try { value = `+expression+` } catch (err) { value = false }
			if (value) done('');
			else if (performance.now() - began > 40000) done('waited in vain; the page says:\n' + text().slice(0, 3000));
			else setTimeout(look, 15);
		};
		look();
	})`)
	require.Empty(p.t, said, expression)
}

func (p *page) see(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("has(%q)", text))
}

// click clicks on what an expression finds.
func (p *page) click(expression string) {
	p.t.Helper()
	p.wait(expression)
	at := eval[[]float64](p, `(async () => {
		const frame = () => new Promise((done) => requestAnimationFrame(done));
		const n = `+expression+`;
		n.scrollIntoView({block: 'nearest'});
		await frame(), await frame(); // lists follow
		const r = n.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`)
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

func (p *page) press(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent(keys, options...)))
}

// fill writes into a field that has this name, in place of what is there.
func (p *page) fill(name, value string) {
	p.t.Helper()
	p.click(fmt.Sprintf("field(%q)", name))
	eval[bool](p, fmt.Sprintf("(field(%q).select?.(), true)", name))
	call(p, input.InsertText, input.InsertTextParams{Text: value})
}

// say sends a message.
func (p *page) say(text string) {
	p.t.Helper()
	p.wait(`field('Message') && !field('Message').disabled`)
	p.fill("Message", text)
	p.wait(`!button('Send').disabled`)
	p.press("\r")
	if len(p.expected) == 0 { // a test that provokes errors keeps the text
		p.wait(`field('Message').value === ''`)
		require.Less(p.t, eval[float64](p, `field('Message').getBoundingClientRect().height`), 40.0, "the field is empty, and so is small")
	}
}

// view opens a view of the thread.
func (p *page) view(name string) {
	p.t.Helper()
	p.click(fmt.Sprintf("named('.tabs a', %q)", name))
	p.wait(fmt.Sprintf("named('.tabs a', %q).getAttribute('aria-current') === 'page'", name))
}

// download clicks on what an expression finds, and returns the content of the file that the page then saves.
func (p *page) download(expression string) string {
	p.t.Helper()
	dir, events := p.t.TempDir(), true
	call(p, browserdomain.SetDownloadBehavior, browserdomain.SetDownloadBehaviorParams{
		Behavior: browserdomain.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: dir, EventsEnabled: &events,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	})
	ctx, end := context.WithTimeout(p.ctx, patience)
	defer end()
	progress := chromedp.Events(ctx, browserdomain.DownloadProgress)
	p.click(expression)
	for event, err := range progress {
		require.NoError(p.t, err)
		if event.State == browserdomain.DownloadProgressStateCompleted {
			content, err := os.ReadFile(filepath.Join(dir, event.GUID))
			require.NoError(p.t, err)
			return string(content)
		}
	}
	require.Fail(p.t, "nothing was saved")
	return ""
}

// features sets media features, such as prefers-color-scheme.
func (p *page) features(pairs ...string) {
	p.t.Helper()
	var all []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: all})
}
