// Package decision makes a decision model ([model.Decider]) of any chat model.
package decision
