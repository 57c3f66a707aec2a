package probe

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// kind is the kind of an action, which is its key in the file.
type kind string

const (
	doLog       kind = "log"
	doUpdate    kind = "update"
	doIncrement kind = "increment"
	doJump      kind = "jump_to"
	doInterrupt kind = "interrupt"
	doRaise     kind = "raise"
	doOverride  kind = "override"
	doNext      kind = "call_next"
	doRespond   kind = "respond"
	doTransform kind = "transform"
	doCommand   kind = "command"
)

var (
	nodeActions = []kind{doLog, doUpdate, doIncrement, doJump, doInterrupt, doRaise}
	wrapActions = []kind{doLog, doOverride, doNext, doRespond, doTransform, doCommand, doRaise}
)

// action is one entry of "do". Its kind determines which fields are used.
type action struct {
	kind   kind
	onlyOn []int64 // calls in which the action runs; nil: all

	text     string         // log; respond of wrap_tool_call
	status   string         // respond of wrap_tool_call
	value    wire.Raw       // update, command; interrupt: the question; increment: by how much
	field    string         // increment; interrupt: where the answer goes
	target   abi.Target     // jump_to
	failure  *abi.Error     // raise
	message  abi.Message    // respond of wrap_model_call
	retries  int            // call_next
	onError  *string        // call_next
	change   transform      // transform
	request  *modelOverride // override of wrap_model_call
	toolCall *abi.CallChange
}

// transform is a change of a text.
type transform struct {
	upper          bool
	prefix, suffix string
}

func (t transform) apply(text string) string {
	if t.upper {
		return strings.ToUpper(text)
	}
	return t.prefix + text + t.suffix
}

// due reports whether the action runs in the n-th call.
func (a *action) due(n uint64) bool {
	return a.onlyOn == nil || slices.Contains(a.onlyOn, int64(n))
}

// callNext performs call_next: it runs the rest of the chain, and repeats it after an error as often as the action
// says. If the last error is to become an answer, it is returned as failure; an error for the outer layers is returned
// as err.
func callNext[C, R any](w Wrap, a *action, next func(*C) (*R, error), change *C) (reply *R, failure *abi.Error, err error) {
	reply, err = next(change)
	for range a.retries {
		if _, ok := w.Failure(err); err == nil || !ok {
			break
		}
		reply, err = next(change)
	}
	if err == nil {
		return reply, nil, nil
	}
	failure, ok := w.Failure(err)
	if !ok || a.onError == nil {
		return nil, nil, err
	}
	return nil, failure, nil
}

func parseAction(hook abi.Hook, o *strict.Object) action {
	allowed := wrapActions
	if hook.IsNode() {
		allowed = nodeActions
	}
	var a action
	for _, k := range allowed {
		if !o.Has(string(k)) {
			continue
		}
		if a.kind != "" {
			o.Fail(string(k), `cannot be combined with "`+string(a.kind)+`"; an action does one thing`)
		}
		a.kind = k
	}
	if o.Has("only_on") {
		a.onlyOn = []int64{}
	}
	for _, item := range o.Items("only_on") {
		n, ok := item.AsInt()
		if !ok || n < 1 {
			o.Fail("only_on", "must be a list of call numbers, from 1")
		}
		a.onlyOn = append(a.onlyOn, n)
	}
	a.parse(hook, o)
	_ = o.Done()
	if a.kind == "" {
		o.Fail("do", "an action of "+string(hook)+" is missing")
	}
	return a
}

func (a *action) parse(hook abi.Hook, o *strict.Object) {
	key := string(a.kind)
	switch a.kind {
	case doLog:
		a.text = o.Text(key)
	case doUpdate, doCommand:
		a.value = o.Raw(key)
		if _, err := ReadUpdate(a.value, o.Path()+"."+key); err != nil {
			o.Fail(key, err.Error())
		}
	case doIncrement:
		a.field, a.value = o.Text(key), wire.Int(1)
		if by := o.Raw("by"); !by.IsZero() {
			if _, ok := by.AsFloat(); !ok {
				o.Fail("by", "must be a number")
			}
			a.value = by
		}
	case doJump:
		a.target = abi.Target(o.Text(key))
	case doInterrupt:
		a.value, a.field = o.Raw(key), o.Text("into")
	case doRaise:
		a.failure = errorAt(o, key)
	case doOverride:
		a.parseOverride(hook, o.Object(key))
	case doNext:
		a.parseNext(o)
	case doRespond:
		a.parseRespond(hook, o.Object(key))
	case doTransform:
		a.parseTransform(o)
	}
}

func errorAt(o *strict.Object, key string) *abi.Error {
	if inner := o.Object(key); inner != nil {
		return ErrorOf(inner)
	}
	return &abi.Error{}
}

func (a *action) parseOverride(hook abi.Hook, o *strict.Object) {
	switch {
	case o == nil:
	case hook == abi.WrapModelCall:
		a.request = parseModelOverride(o)
	default:
		a.toolCall = &abi.CallChange{Name: o.Text("name"), Tool: o.Text("tool"), SetArgs: o.Map("set_args")}
		if o.Has("args") {
			a.toolCall.Args = o.Map("args").Raw()
		}
		_ = o.Done()
	}
}

func (a *action) parseNext(o *strict.Object) {
	if !o.Raw("call_next").IsMap() {
		o.True("call_next")
		return
	}
	options := o.Object("call_next")
	a.retries = options.Int("retries", 0)
	if options.Has("on_error") {
		text := options.Text("on_error")
		a.onError = &text
	}
	_ = options.Done()
}

func (a *action) parseRespond(hook abi.Hook, o *strict.Object) {
	switch {
	case o == nil:
	case hook == abi.WrapModelCall:
		if o.Has("role") {
			o.OneOf("role", string(abi.RoleAI))
		}
		a.message = AIMessage(o)
	default:
		o.Need("content")
		a.text, a.status = o.Text("content"), o.OneOf("status", abi.StatusSuccess, abi.StatusError)
		if a.status == "" {
			a.status = abi.StatusSuccess
		}
		_ = o.Done()
	}
}

func (a *action) parseTransform(o *strict.Object) {
	if !o.Raw("transform").IsMap() {
		a.change.upper = o.OneOf("transform", "upper") != ""
		return
	}
	inner := o.Object("transform")
	a.change = transform{prefix: inner.Text("prefix"), suffix: inner.Text("suffix")}
	_ = inner.Done()
}

// reads returns the state fields that the action reads.
func (a *action) reads() []string {
	var fields []string
	note := func(name string) (string, bool) {
		if field, ok := strings.CutPrefix(name, "state."); ok {
			fields = append(fields, field)
		}
		return "", false
	}
	switch a.kind {
	case doLog, doRespond:
		expand(a.text, note)
	case doIncrement:
		fields = append(fields, a.field)
	case doNext:
		if a.onError != nil {
			expand(*a.onError, note)
		}
	default: // it reads none
	}
	return fields
}

// writes returns the state fields that the action updates.
func (a *action) writes() []string {
	switch a.kind {
	case doUpdate, doCommand:
		var fields []string
		for key := range a.value.Pairs() {
			if string(key) != "messages" {
				fields = append(fields, string(key))
			}
		}
		return fields
	case doIncrement, doInterrupt:
		if a.field != "" {
			return []string{a.field}
		}
	default: // it updates none
	}
	return nil
}
