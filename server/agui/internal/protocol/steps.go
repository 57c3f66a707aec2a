package protocol

import (
	"maps"
	"slices"
)

// startStep shows that a step begins.
func (t *Translator) startStep(l *level, name string) {
	l.step = name
	t.emit(stepStarted, l.id, frame{"stepName": name})
}

// finishStep shows that the present step has ended.
func (t *Translator) finishStep(l *level) {
	l.writer.finish(t, l, nil)
	if l.step == "" {
		return
	}
	t.emit(stepFinished, l.id, frame{"stepName": l.step})
	l.step = ""
}

// leaveAll closes what is open in a level: the agents inside it, its messages and its step.
func (t *Translator) leaveAll(l *level, why string) {
	for _, call := range slices.Sorted(maps.Keys(l.nested)) {
		t.fail(l.nested[call], why)
	}
	clear(l.nested)
	t.finishStep(l)
}
