// Package question reads interrupts as people answer them, and makes the answers.
//
// A [Question] is an interrupt. Of the forms that it knows, those of human_in_the_loop and of a tool call that a crash has
// cut off, it knows the tool calls that are asked about, and what may be decided about each: a [Decision]. Any other value
// is shown as it is, and answered with any other.
//
// A [Sheet] collects the decisions and answers of one person about the questions of a thread, checks them, and returns the
// answers for a run to go on with. Nothing of a model's makes a decision: a call is only ever matched by its id.
package question
