package studio_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A server ends in the middle of a run. Another one goes on with it, and the page shows one answer and which attempt it is.
func TestARunThatIsCut(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.expect("net::ERR", "Failed to load resource")
	r.say("wait")
	<-r.gate.began
	r.see("Running wait")
	r.replace()
	<-r.gate.began // the other server runs the tool again, which may run twice
	r.gate.let <- struct{}{}
	r.see("The tool said: it is done")
	r.wait(`!has('The connection was lost') && !has('does not answer') && document.querySelector('.top .badge').textContent === 'idle'`)
	require.Equal(t, 1, eval[int](r.page, `all('.card').length`), "what the first attempt did not save is void")
	require.Equal(t, 1, eval[int](r.page, `all('.message.human').length`))
	r.view("Timeline")
	r.wait(`all('.spanrow.run').length === 1 && all('.spanrow.run')[0].textContent.includes('attempt 2')`)
	r.shoot("timeline-cut")
}

// A server ends while a tool runs that must not run twice. The run asks, and a person decides.
func TestAToolThatWasCutOff(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.expect("net::ERR", "Failed to load resource")
	r.say("block")
	<-r.gate.began
	r.see("Running block")
	r.replace()
	r.see("It is not known what the call did.")
	r.shoot("cut-off")
	require.Equal(t, []string{"Run it again", "Skip it", "Respond"}, eval[[]string](r.page, `all('.choices label').map(nameOf)`))
	r.click(`named('.choices label', 'Respond')`)
	r.fill("Result in place of the tool", "it has worked")
	r.click(`button('Send answer')`)
	r.see("The tool said: it has worked")
}

// The connection breaks while a run is under way. The page says so, comes back, and misses nothing.
func TestAConnectionThatBreaks(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.expect("net::ERR", "Failed to load resource")
	r.say("block")
	<-r.gate.began
	r.see("Running block")
	for range 3 {
		r.cut()
	}
	r.gate.let <- struct{}{}
	r.see("The tool said: it is done")
	r.wait(`!has('The connection was lost') && !has('does not answer')`)
	require.Equal(t, 1, eval[int](r.page, `all('.message.ai').filter((n) => n.textContent.includes('it is done')).length - 1`), "once as a result, and once as an answer")
}

// The network is gone for a while. The page says that what it shows may be old, and finds its way back.
func TestWithoutTheNetwork(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.expect("net::ERR", "Failed to load resource")
	r.say("hello")
	r.see("You said: hello")
	r.down.Store(true)
	r.cut()
	r.see("The server does not answer.")
	r.shoot("offline")
	r.say("are you there?")
	r.wait(`all('.composer .failure').some((n) => n.textContent.includes('does not answer'))`)
	r.down.Store(false)
	r.wait(`!has('What you see may be old') && !has('The connection was lost')`)
	r.click(`button('Send')`)
	r.see("You said: are you there?")
}

// Someone stops a run, and goes on.
func TestARunThatIsStopped(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("block")
	<-r.gate.began
	r.click(`button('Stop the run')`)
	r.see("The run was stopped")
	require.False(t, eval[bool](r.page, `has('The run failed')`), "nothing has failed")
	r.wait(`document.querySelector('.top .badge').textContent === 'stopped'`)
	r.shoot("stopped")
	r.say("hello again")
	r.see("You said: hello again")
}
