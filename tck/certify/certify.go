package certify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

// Options say how a guest is certified. Use the zero value to certify a guest officially.
type Options struct {
	Config  wire.Map   // the operator's configuration, without the schema's defaults
	Refused []wire.Map // configurations that the guest must refuse
	Seed    uint64     // seed of the random inputs
	Random  int        // number of random inputs for each hook; 0: [DefaultRandom]
	Configs int        // number of random configurations; 0: [DefaultConfigs]
}

// The default numbers of random inputs and configurations.
const (
	DefaultRandom  = 200
	DefaultConfigs = 20
)

// certifier certifies one guest.
type certifier struct {
	options Options
	rng     *rand.Rand
	code    []byte
	machine *machine
	report  *Report

	described abi.Description // the upper bound
	plugin    abi.Description // the one that applies, perhaps narrowed
	config    []byte          // the configuration of the instances

	shared *instance       // has served calls
	played []repeatedCall  // its calls so far
	asked  []operationCall // operations, and the scenes in which hooks called them

	endless int // frames that ran out of fuel or time
}

// repeatedCall is a call of an instance that had already served calls.
type repeatedCall struct {
	scene *scene
	frame *Frame
}

// operationCall is an operation that a hook calls.
type operationCall struct {
	op    string
	scene *scene
}

// Guest certifies a module.
func Guest(ctx context.Context, code []byte, options Options) *Report {
	if options.Random == 0 {
		options.Random = DefaultRandom
	}
	if options.Configs == 0 {
		options.Configs = DefaultConfigs
	}
	c := &certifier{options: options, rng: rand.New(rand.NewPCG(options.Seed, 1)), code: code, report: &Report{}}
	for _, check := range Checks() {
		c.report.Outcomes = append(c.report.Outcomes, Outcome{
			ID: check.ID, Section: check.Section, Advice: check.Advice, Verdict: NotApplicable, Detail: check.Absent, Says: check.Says,
		})
	}
	c.run(ctx)
	slices.SortStableFunc(c.report.Outcomes, func(a, b Outcome) int { return a.Section - b.Section })
	c.report.Certified = len(c.report.Failed(false)) == 0 && c.report.Refused == ""
	return c.report
}

func (c *certifier) run(ctx context.Context) {
	machine, err := newMachine(ctx, c.code)
	c.checkf("module.form", err == nil, "%v", err)
	if err != nil {
		return
	}
	c.machine = machine
	defer func() { _ = machine.close(ctx) }() // nothing is running by now
	if !c.checkInterface() {
		return
	}
	err = machine.compile(ctx, c.code)
	c.checkf("module.form", err == nil, "%v", err)
	if err != nil || !c.describe(ctx) || !c.configure(ctx) {
		return
	}
	c.configureAny(ctx)
	c.play(ctx)
}

// checkf records whether a rule was kept. The report describes the first failure of each rule.
func (c *certifier) checkf(id string, ok bool, format string, args ...any) {
	o := c.report.Outcome(id)
	if o == nil {
		panic("tck: there is no check " + id)
	}
	o.Count++
	switch {
	case !ok && o.Verdict != Fail:
		o.Verdict, o.Detail = Fail, printable(fmt.Sprintf(format, args...))
	case ok && o.Verdict == NotApplicable:
		o.Verdict, o.Detail = Pass, ""
	}
}

// absorb takes over the findings of a frame.
func (c *certifier) absorb(f *Frame) {
	for _, found := range f.findings {
		c.checkf(found.check, found.ok, "%s: %s", f.Export, found.text)
	}
	if f.loading() {
		return
	}
	cover := &c.report.Coverage
	cover.Calls++
	cover.Hooks = include(cover.Hooks, f.Export)
	if f.Wrote {
		cover.Documents = include(cover.Documents, "Result")
		for key := range wire.Raw(f.Result).Pairs() {
			if unknownkeys.Known[abi.Result](string(key)) {
				cover.Documents = include(cover.Documents, "Result."+string(key))
			}
		}
	}
	for i := range f.Exchanges {
		e := &f.Exchanges[i]
		cover.Statuses = include(cover.Statuses, e.Status.String())
		if e.Import == abi.ImportHostCall {
			cover.Operations = include(cover.Operations, printable(e.Op))
			continue
		}
		if len(e.Payload) > 0 {
			cover.Documents = include(cover.Documents, map[string]string{
				string(abi.WrapModelCall): "RequestChange", string(abi.WrapToolCall): "CallChange",
			}[f.Export])
		}
	}
}

// include adds a name to a sorted list.
func include(list []string, name string) []string {
	at, found := slices.BinarySearch(list, name)
	if found || len(list) > 100 {
		return list
	}
	return slices.Insert(list, at, name)
}
