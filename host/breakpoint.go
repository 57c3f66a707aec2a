package host

import "fmt"

// AllSteps names every step in a list of breakpoints.
const AllSteps = "*"

// breakpoints are the steps before and after which a run stops, by their places in the program.
type breakpoints struct{ before, after []bool }

// breakAt returns breakpoints at steps in addition to others, which may be nil. It returns nil if there are none.
func (p *program) breakAt(before, after []string, others *breakpoints) (*breakpoints, error) {
	if len(before)+len(after) == 0 {
		return others, nil
	}
	out := &breakpoints{before: make([]bool, len(p.steps)), after: make([]bool, len(p.steps))}
	if others != nil {
		copy(out.before, others.before)
		copy(out.after, others.after)
	}
	if err := p.mark(out.before, before); err != nil {
		return nil, err
	}
	return out, p.mark(out.after, after)
}

// mark marks the steps with these names.
func (p *program) mark(steps []bool, names []string) error {
	for _, name := range names {
		at := p.find(name)
		switch {
		case name == AllSteps:
			for i := range steps {
				steps[i] = true
			}
		case at < 0:
			return &ConfigError{ConfigSubject{Kind: SubjectBreakpoint, Name: name}, fmt.Errorf("there is no such step; the steps are %s", p.names())}
		default:
			steps[at] = true
		}
	}
	return nil
}

func (b *breakpoints) isBefore(step int) bool { return b != nil && b.before[step] }

func (b *breakpoints) isAfter(step int) bool { return b != nil && b.after[step] }
