package studio_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Someone asks, approves a call with other arguments and sees what ran. Then they change the question before it, go on from there, and
// compare the two branches.
func TestFromAQuestionToAFork(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.see("Talk to an agent")
	r.shoot("empty")
	r.say("weather Rome")
	r.see("The tool said: sunny in Rome")
	r.wait(`document.title.startsWith('weather Rome')`)
	r.wait(`all('.card').length === 1 && all('.card')[0].textContent.includes('done')`)
	r.say("write buy milk")
	r.see("waits for your decision")
	r.wait(`named('.thread', 'weather Rome').textContent.includes('waits')`)
	r.shoot("approval")
	r.click(`button('Edit')`)
	require.Equal(t, []string{"File", "content", "Append", "Mode"}, eval[[]string](r.page, `all('.review .field label').map((n) => n.firstChild.textContent)`), "the form is that of args_schema")
	r.see("What to write, in Markdown.")
	r.fill("content", "buy oat milk")
	r.wait(`all('.diff ins').some((n) => n.textContent.includes('buy oat milk'))`)
	require.Equal(t, []string{`-   "content": "buy milk",`, `+   "content": "buy oat milk",`}, eval[[]string](r.page, `all('.diff del, .diff ins').map((n) => n.textContent)`), "only this differs")
	eval[bool](r.page, `(document.querySelector('.review .diff').scrollIntoView({block: 'center'}), true)`)
	r.shoot("approval-edit")
	r.fill("Mode", "x")
	r.click(`button('Run edited call')`)
	r.see("This must be a number.")
	r.fill("Mode", "6")
	r.wait(`all('.diff ins').some((n) => n.textContent.includes('"mode": 6'))`)
	r.click(`button('Run edited call')`)
	r.see("wrote \"buy oat milk\" to notes.md")
	r.wait(`all('.card .badge').some((n) => n.textContent === 'edited')`)
	r.wait(`!has('waits for your decision')`)
	r.shoot("chat")

	r.view("History")
	r.click(`all('[role=option]').findLast((n) => n.textContent.includes('input'))`)
	r.click(`button('Edit the state')`)
	r.fill("New text", "weather Paris")
	r.shoot("history-edit")
	r.click(`button('Save as a new checkpoint')`)
	r.see("update")
	r.click(`all('[role=option]')[0]`)
	r.click(`button('Go on from here')`)
	r.see("The tool said: sunny in Paris")
	r.wait(`!has('oat milk')`)
	r.view("History")
	r.wait(`document.querySelectorAll('.lanes path').length > 5`)
	r.click(`all('[role=option]')[0]`)
	r.shoot("history-fork")
	r.click(`all('a').find((n) => /^Compare with \d+$/.test(n.textContent))`)
	r.see("These are the ends of two branches.")
	r.wait(`all('.mline.gone').some((n) => n.textContent.includes('sunny in Paris') && n.textContent.includes('by tools'))`)
	r.wait(`all('.mline.new').some((n) => n.textContent.includes('oat milk'))`)
	r.wait(`all('.mline.edited').some((n) => n.textContent.includes('weather Rome') && n.textContent.includes('by update'))`)
	r.shoot("state-branches")
}

// A call can also be approved, rejected for a reason, or answered in place of the tool.
func TestEachDecision(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	decide := func(choice, label, text, send, result string) {
		t.Helper()
		r.say("write " + choice)
		r.see("waits for your decision")
		r.click(fmt.Sprintf("named('.choices label', %q)", choice))
		if label != "" {
			r.fill(label, text)
		}
		r.click(fmt.Sprintf("all('button').find((n) => n.textContent === %q)", send))
		r.see(result)
		r.wait(`!has('waits for your decision') && !!field('Message')`)
	}
	decide("Approve", "", "", "Approve", `wrote "Approve" to notes.md`)
	decide("Reject", "Reason, for the model", "It is too late.", "Reject", "It is too late.")
	decide("Respond", "Result in place of the tool", "I wrote it by hand.", "Send answer", "The tool said: I wrote it by hand.")
	require.Equal(t, []string{"done", "failed", "done"}, eval[[]string](r.page, `all('.card .badge').map((n) => n.textContent)`))
}

// The answer is there while it is written; the reasoning before it is folded when the answer begins.
func TestAnAnswerThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("think aloud")
	<-r.gate.began
	r.wait(`all('.live .reasoning[open]').some((n) => n.textContent.includes('The clock') && !n.textContent.includes('twelve'))`)
	r.gate.let <- struct{}{}
	<-r.gate.began
	r.wait(`all('.live .reasoning[open]').some((n) => n.textContent.includes('The clock strikes twelve.'))`)
	r.shoot("reasoning")
	r.gate.let <- struct{}{}
	<-r.gate.began
	r.wait(`all('.live .markdown').some((n) => n.textContent.trim() === 'You said:') && !document.querySelector('.live .reasoning').open`)
	require.Equal(t, "true", eval[string](r.page, `document.querySelector('.live').getAttribute('aria-busy')`))
	r.gate.let <- struct{}{}
	r.see("You said: think aloud")
	r.wait(`!document.querySelector('.live') && document.querySelector('.reasoning') && !document.querySelector('.reasoning').open`)
	r.click(`named('summary', 'Reasoning')`)
	r.see("The clock strikes twelve.")
}

// A tool returns a picture and a file: the picture is shown, and the file can be saved.
func TestFilesOfATool(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("draw")
	r.see("The tool said: Here it is.")
	r.click(`all('.card summary')[0]`)
	r.wait(`all('.result img').some((n) => n.naturalWidth === 96 && n.alt !== '')`)
	r.shoot("files")
	saved := r.download(`named('a', 'plan.txt')`)
	require.Equal(t, "Buy milk.", saved)
}
