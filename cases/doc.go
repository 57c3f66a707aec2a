// Package cases reads, checks and writes cases: YAML files that say what a whole agent gets and what it must do. The command
// agenthost test performs them, see package [github.com/agenthost/agenthost/cases/perform].
//
// A case is a conversation of one or several turns. Each turn has an input, the answers to the questions that the agent asks a person,
// and what must come of it. A script or a cassette takes the place of the agent's models, so that the case needs no key and always
// goes the same way.
//
// [Load] reads a case, [Turn.Compare] returns the differences of an [Outcome] from what is expected, [Case.Update] writes outcomes
// into the file, and [FromEvents] makes a case of a recorded conversation.
package cases
