// Package question presents interrupts to the people who answer them, and builds the answers.
//
// A [Question] is an interrupt. The package understands two formats: that of human_in_the_loop, and that of a tool call cut
// off by a crash. For these it lists the tool calls in question and the [Decision] types allowed for each. Any other value is
// shown as it is, and any value answers it.
//
// A [Sheet] collects one person's decisions and answers to the questions of a thread, checks them, and returns the answers
// with which a run can continue. A model's text never decides anything: calls are matched by id only.
package question
