package studio_test

import "testing"

// Someone asks, sees the answer as it is written, approves a call with other arguments, and sees what ran.
func TestAQuestionWithApproval(t *testing.T) {
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
	r.wait(`button('buy milk') || has('buy milk')`)
	r.wait(`named('.thread', 'weather Rome').textContent.includes('waits')`)
	r.shoot("approval")
	r.click(`button('Edit')`)
	r.fill("content", "buy oat milk")
	r.wait(`all('.diff ins').some((n) => n.textContent.includes('buy oat milk'))`)
	r.shoot("approval-edit")
	r.click(`button('Run edited call')`)
	r.see("wrote \"buy oat milk\" to notes.md")
	r.wait(`has('edited')`)
	r.wait(`!has('waits for your decision')`)
	r.shoot("chat")
}
