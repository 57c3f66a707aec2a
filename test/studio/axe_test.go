package studio_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// axe checks the page for barriers, in light and dark.
func (p *page) axe(where string) {
	p.t.Helper()
	source, err := os.ReadFile("../../.bin/studio/node_modules/axe-core/axe.min.js")
	if err != nil && os.Getenv("AGENTHOST_UI") == "" {
		p.t.Skip("axe-core is not there; make test-ui installs it")
	}
	require.NoError(p.t, err)
	if !eval[bool](p, `!!window.axe`) {
		eval[bool](p, `(() => {`+string(source)+`; return !!window.axe})()`)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.features("prefers-color-scheme", scheme)
		found := eval[[]string](p, `axe.run(document, {resultTypes: ['violations'], runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}})
			.then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary)))`)
		require.Empty(p.t, found, "%s, %s", where, scheme)
	}
	p.features()
}

// axe-core finds no barriers in any view.
func TestNoBarriers(t *testing.T) {
	long(t)
	t.Parallel()
	r := setup(t, "{}")
	r.see("Talk to an agent")
	r.axe("the beginning")
	r.say("markdown")
	r.see("sunny")
	r.say("hostile")
	r.see("<img src=x onerror=")
	r.say("write a note")
	r.see("waits for your decision")
	r.axe("a question")
	r.click(`button('Edit')`)
	r.axe("an edited question")
	r.click(`button('Run edited call')`)
	r.see("wrote \"a note\"")
	for _, view := range []string{"Timeline", "State", "History", "Requests", "Graph", "Plugins"} {
		r.view(view)
		if view != "State" && eval[bool](r.page, `!!document.querySelector('[role=option]')`) {
			r.click(`all('[role=option]')[2]`)
		}
		r.wait(`!has('Reading')`)
		r.axe(view)
	}
}
