package studio_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The graph shows the step that is performed now.
func TestTheLiveStep(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("block")
	<-r.gate.began
	r.view("Graph")
	r.wait(`document.querySelector('.node.live')?.textContent.includes('tools')`)
	r.shoot("graph-live")
	r.gate.let <- struct{}{}
	r.wait(`!document.querySelector('.node.live')`)
	require.Contains(t, eval[string](r.page, `document.querySelector('.graph svg').textContent`), "no tool calls")
}

// A tool returns what an attacker wrote. It is text, and nothing else happens.
func TestAHostileToolResult(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("hostile")
	r.see("<img src=x onerror=")
	r.see("⟨202E⟩")
	r.see("⟨0000⟩")
	r.click(`all('.card summary')[0]`)
	r.shoot("hostile")
	for _, view := range []string{"Timeline", "State", "History", "Requests", "Graph", "Plugins"} {
		r.view(view)
		r.wait(`document.title !== 'owned' && document.querySelectorAll('img, .view script, iframe').length === 0`)
		require.Zero(t, eval[int](r.page, `[...document.querySelectorAll('a')].filter((a) => a.protocol === 'javascript:' || a.href.includes('attacker')).length`))
	}
}

// A tool fails, and the model goes on; what failed is red.
func TestAToolThatFails(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("fail")
	r.see("the disk is full")
	r.wait(`all('.failure, .card.failed').length > 0`)
	r.shoot("failed")
	r.view("Timeline")
	r.wait(`all('.spanrow.failed').length > 0`)
}

// Everything can be done by the keyboard alone.
func TestByTheKeyboard(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.wait(`document.activeElement?.getAttribute('aria-label') === 'Message' && !!button('Send')`)
	r.press("write a note")
	r.wait(`!button('Send').disabled`)
	r.press(kb.Enter)
	r.see("waits for your decision")
	tab := func(until string, backwards bool) {
		t.Helper()
		for range 60 {
			if eval[bool](r.page, `!!(`+until+`)`) {
				return
			}
			if backwards {
				r.press(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
			} else {
				r.press(kb.Tab)
			}
		}
		require.Fail(t, "the keyboard does not reach it", until)
	}
	tab(`document.activeElement.type === 'radio'`, true)
	r.press(kb.ArrowRight) // edit
	r.wait(`!!field('content')`)
	tab(`document.activeElement === field('content')`, false)
	r.press(kb.End)
	r.press(" by hand")
	r.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	r.see("wrote \"a note by hand\"")
	tab(`nameOf(document.activeElement) === 'Timeline'`, true)
	r.press(kb.Enter)
	r.wait(`!!document.querySelector('[role=listbox]')`)
	tab(`document.activeElement.getAttribute('role') === 'listbox'`, false)
	for range 4 {
		r.press(kb.ArrowDown)
	}
	r.see("own time")
	require.True(t, eval[bool](r.page, `document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).getAttribute('aria-selected') === 'true'`))
	require.Greater(t, eval[float64](r.page, `parseFloat(getComputedStyle(document.activeElement).outlineWidth)`), 1.0, "the focus can be seen")
	r.press("/")
	r.wait(`document.activeElement.id === 'search'`)
}

// At twice the size everything is there, and nothing scrolls sideways.
func TestAtTwoHundredPercent(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("markdown")
	r.see("sunny")
	require.NoError(t, chromedp.Do(r.ctx, chromedp.EmulateViewport(640, 400, chromedp.EmulateScale(2))))
	for _, view := range []string{"Chat", "Timeline", "State", "History", "Requests", "Graph", "Plugins"} {
		r.view(view)
		wide := eval[[]string](r.page, `[...document.querySelectorAll('body, main, .view, .page, .rows, .details')].filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.className + ' ' + n.scrollWidth + '>' + n.clientWidth)`)
		require.Empty(t, wide, view)
		r.shoot("zoom-" + strings.ToLower(view))
	}
	r.click(`button('Threads')`)
	r.see("markdown")
	r.press(kb.Escape)
	r.wait(`!document.querySelector('.app.menu')`)
}

// Someone who wants less motion gets none.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.features("prefers-reduced-motion", "reduce")
	r.say("block")
	<-r.gate.began
	r.wait(`!!document.querySelector('.pulse')`)
	require.Zero(t, eval[int](r.page, `document.getAnimations().length`))
	r.gate.let <- struct{}{}
	r.see("it is done")
}

// A server that wants a key gets it from a dialog; it is not kept beyond the tab.
func TestAServerThatWantsAKey(t *testing.T) {
	t.Parallel()
	const key = "ann-0123456789abcdef"
	sum := sha256.Sum256([]byte(key))
	r := setup(t, fmt.Sprintf("auth: {keys: [{sha256: %s, owner: ann, scopes: [admin]}]}", hex.EncodeToString(sum[:])))
	r.expect("401")
	r.see("This server wants a key")
	r.shoot("key")
	r.fill("Key", "wrong-0123456789abcdef")
	r.press(kb.Enter)
	r.see("does not accept this key")
	r.fill("Key", key)
	r.press(kb.Enter)
	r.wait(`!document.querySelector('dialog')`)
	r.say("hello")
	r.see("You said: hello")
	require.Equal(t, key, eval[string](r.page, `sessionStorage.getItem('agenthost.key')`))
	require.Zero(t, eval[int](r.page, `localStorage.length + document.cookie.length`))
}

// Threads can be renamed, searched, forked, exported and deleted.
func TestThreads(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	for i := range 3 {
		r.click(`button('New thread')`)
		r.see("Talk to an agent")
		r.say(fmt.Sprint("thread number ", i))
		r.see(fmt.Sprint("You said: thread number ", i))
	}
	r.click(`button('More')`)
	r.click(`button('Rename')`)
	r.fill("Title of the thread", "The last one")
	r.press(kb.Enter)
	r.wait(`document.querySelector('h1').textContent === 'The last one'`)
	r.wait(`all('.thread').some((n) => n.textContent.includes('The last one'))`)
	r.fill("Search threads", "number 1")
	r.wait(`all('.thread').length === 1`)
	r.click(`all('.thread')[0]`)
	r.see("You said: thread number 1")
	for i := range 60 { // more than the list reads at first
		r.post("POST", "/threads", map[string]any{"metadata": map[string]any{"title": fmt.Sprint("filler ", i)}})
	}
	require.NoError(t, chromedp.Do(r.ctx, chromedp.Reload()))
	r.see("Show more of 63")
	require.False(t, eval[bool](r.page, `has('thread number 0')`))
	r.fill("Search threads", "number 0")
	r.wait(`all('.thread').length === 1 && all('.thread')[0].textContent.includes('thread number 0')`)
	r.fill("Search threads", "number 1")
	r.wait(`all('.thread').length === 1 && has('thread number 1')`)
	r.fill("Search threads", "nothing like it")
	r.see("No thread matches.")
	r.fill("Search threads", "")
	eval[bool](r.page, `(field('Search threads').value = '', field('Search threads').dispatchEvent(new Event('input', {bubbles: true})), true)`)
	r.click(`button('More')`)
	r.click(`button('Fork into a new thread')`)
	r.wait(`document.querySelector('h1').textContent.includes('(copy)')`)
	r.see("You said: thread number 1")
	r.wait(`all('.thread')[0].textContent.includes('(copy)')`)
	r.shoot("threads")
	eval[bool](r.page, `!!(window.confirm = () => true)`)
	r.click(`button('More')`)
	r.click(`button('Delete')`)
	r.see("Talk to an agent")
	r.wait(`!all('.thread').some((n) => n.textContent.includes('(copy)'))`)
	eval[bool](r.page, `(location.hash = '#/00000000-0000-4000-8000-000000000000', true)`)
	r.expect("404")
	r.see("There is no such thread")
}
