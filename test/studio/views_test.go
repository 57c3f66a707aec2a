package studio_test

import "testing"

// Each view shows the same thread.
func TestTheViews(t *testing.T) {
	long(t)
	t.Parallel()
	r := setup(t, "{}")
	r.say("weather Rome, and write to ann@mail.example")
	r.see("The tool said: sunny in Rome")
	r.say("fail now")
	r.see("the disk is full")
	r.say("write buy milk")
	r.see("waits for your decision")
	r.click(`button('Approve')`)
	r.click(`all('button').find((n) => n.textContent === 'Approve')`)
	r.see("wrote \"buy milk\"")
	r.shoot("views-chat")

	r.view("Timeline")
	r.see("todo_list.wrap_model_call")
	r.shoot("timeline")
	r.click(`named('[role=option]', 'redact.before_model')`)
	r.see("fuel")
	r.shoot("timeline-detail")

	r.view("State")
	r.see("unchanged")
	r.shoot("state")

	r.view("History")
	r.click(`all('[role=option]')[3]`)
	r.see("Go on from here")
	r.shoot("history")

	r.view("Requests")
	r.see("The agent asks")
	r.wait(`all('ins').some((n) => n.textContent.includes('Answer in French'))`)
	r.shoot("requests")

	r.view("Graph")
	r.wait(`document.querySelectorAll('.node').length > 4`)
	r.shoot("graph")

	r.view("Plugins")
	r.see("plugin, sandboxed")
	r.shoot("plugins")
}
