package question_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

func TestAReviewKnowsItsCalls(t *testing.T) {
	t.Parallel()
	q := read(t, review)[0]
	require.Equal(t, question.Review, q.Kind)
	require.True(t, q.Waits())
	require.Len(t, q.Calls, 2)
	write, mail := q.Calls[0], q.Calls[1]
	require.Equal(t, "call-1", write.ID, "the one that is not answered")
	require.Equal(t, "call-1", write.Ref)
	require.Equal(t, []question.Type{question.Approve, question.Edit, question.Reject}, write.Allowed)
	require.Equal(t, "Writes.", write.About(), "without what is shown anyway")
	require.Equal(t, "{\n  \"path\": \"a\"\n}\n", string(write.EditText()))
	require.Equal(t, "call-2", mail.Ref)
	require.Equal(t, "Sends.", mail.About())
	require.Equal(t, "mail (call-2) needs a decision, says x.after_model", q.Heading(mail))
}

func TestACallThatIsNotTheModelsHasAnotherName(t *testing.T) {
	t.Parallel()
	changed := `{"action_requests":[{"name":"write","args":{"path":"other"}},{"name":"mail","args":{"to":"ada"}}],
		"review_configs":[{"action_name":"mail","allowed_decisions":["approve"]}]}`
	q := read(t, changed)[0]
	require.Equal(t, "ask-1/1", q.Calls[0].Ref)
	require.Empty(t, q.Calls[0].ID)
	require.Len(t, q.Calls[0].Allowed, 4, "nothing is said about it")
	require.Equal(t, "call-2", q.Calls[1].Ref)
	require.Equal(t, []question.Type{question.Approve}, q.Calls[1].Allowed)

	alone := read(t, `{"action_requests":[{"name":"write","args":{"path":"other"}}]}`)[0]
	require.Equal(t, "ask-1", alone.Calls[0].Ref)
}

func TestAnIDThatCannotBeTypedIsNoName(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`\u001b[2J`, `call\n1`, `\u202e1`, strings.Repeat("x", 101)} {
		q := read(t, `{"type":"tool_approval","tool_call_id":"`+id+`","name":"write","args":{}}`)[0]
		require.Equal(t, "ask-1", q.Calls[0].Ref, id)
	}
}

func TestAReviewWhereTheCallIsPerformed(t *testing.T) {
	t.Parallel()
	ask := func(call, json string) *question.Call {
		result := &host.Result{Messages: calls(), Interrupts: []host.Interrupt{{ID: "ask-1", CallID: call, Value: value(t, json)}}}
		return question.OfResult(result)[0].Calls[0]
	}
	require.Equal(t, "call-3", ask("call-3", reviewOne).Ref)
	require.Equal(t, "ask-1", ask("call-2", reviewOne).Ref, "it asks about a call that this one makes")
}

func TestTwoQuestionsAboutOneCall(t *testing.T) {
	t.Parallel()
	questions := read(t, approval, approval)
	require.Equal(t, "ask-1", questions[0].Calls[0].Ref)
	require.Equal(t, "ask-2", questions[1].Calls[0].Ref)
	err := question.NewSheet(questions).Decide("call-3", question.Decision{Type: question.Approve})
	require.EqualError(t, err, `several questions are about "call-3"; name one of them by ask-1, ask-2`)
}

func TestKindsOfOneCall(t *testing.T) {
	t.Parallel()
	questions := read(t, approval, unfinished)
	require.Equal(t, question.Approval, questions[0].Kind)
	require.Equal(t, "call-3", questions[0].Calls[0].Ref)
	require.Len(t, questions[0].Calls[0].Allowed, 4)
	require.Equal(t, question.Unfinished, questions[1].Kind)
	require.Equal(t, []question.Type{question.Retry, question.Skip, question.Respond}, questions[1].Calls[0].Allowed)
	require.Equal(t, "pay (call-4) was cut off; it had started at 2023-11-14 22:13:20Z", questions[1].Heading(questions[1].Calls[0]))
}

// An asker may allow only some decisions about one call.
func TestAnApprovalMayAllowFewDecisions(t *testing.T) {
	t.Parallel()
	few := `{"type":"tool_approval","tool_call_id":"call-3","name":"write","args":{"path":"a"},"allowed_decisions":["approve","burn","reject"]}`
	questions := read(t, few)
	require.Equal(t, []question.Type{question.Approve, question.Reject}, questions[0].Calls[0].Allowed, "burn is not known")
	sheet := question.NewSheet(questions)
	err := sheet.Decide("call-3", question.Decision{Type: question.Respond, Message: new("done")})
	require.EqualError(t, err, `call-3 (write): the decision "respond" is not allowed; it may be one of approve, reject`)
	require.NoError(t, sheet.Decide("call-3", question.Decision{Type: question.Reject}))
	for _, json := range []string{`["burn"]`, `[]`} {
		none := `{"type":"tool_approval","tool_call_id":"call-3","name":"write","args":{},"allowed_decisions":` + json + `}`
		require.Equal(t, question.Other, read(t, none)[0].Kind, "a person who may decide nothing sees the whole question")
	}
}

func TestValuesOfNoKnownForm(t *testing.T) {
	t.Parallel()
	for _, json := range []string{
		`"Shall I?"`, `42`, `{}`, `{"type":"tool_approval"}`, `{"type":"tool_approval","name":"","args":{}}`, `{"type":"tool_approval","name":"x","args":[]}`,
		`{"action_requests":[]}`, `{"action_requests":"all"}`, `{"action_requests":[1]}`, `{"type":7}`,
		`{"action_requests":[{"name":"x","args":{}}],"review_configs":[{"action_name":"x","allowed_decisions":["burn"]}]}`,
	} {
		q := read(t, json)[0]
		require.Equal(t, question.Other, q.Kind, json)
		require.Empty(t, q.Calls, json)
		require.Equal(t, "ok? of x.after_model (id ask-1)", q.Heading(nil))
	}
}

func TestQuestionsOfAThreadHaveTheirAnswers(t *testing.T) {
	t.Parallel()
	log, err := history.Log{}.Apply(&abi.Update{Messages: calls().Messages()}, ids{})
	require.NoError(t, err)
	thread := &checkpoint.Thread{Log: log, Record: checkpoint.Record{Checkpoint: checkpoint.Checkpoint{Questions: []checkpoint.Question{
		{ID: "ask-1", Value: value(t, review), Answer: value(t, `{}`), AnsweredBy: "ada", AnsweredAt: 1700000000000},
		{ID: "ask-2", CallID: "call-9", Step: "tools", Key: "why", Value: value(t, `"why?"`)},
	}}}}
	questions := question.OfThread(thread)
	require.Equal(t, "ada", questions[0].By)
	require.Equal(t, time.UnixMilli(1700000000000).UTC(), questions[0].At)
	require.False(t, questions[0].Waits())
	require.Equal(t, "call-1", questions[0].Calls[0].ID)
	require.Equal(t, "why of tools, call call-9 (id ask-2)", questions[1].Heading(nil))
	require.Equal(t, questions[1:], question.Waiting(questions))
}

// ids gives no ids: these messages need none.
type ids struct{}

func (ids) New() string { return "" }

func (ids) Take(string) bool { return false }

func FuzzRead(f *testing.F) {
	for _, json := range []string{review, reviewOne, approval, unfinished} {
		f.Add(json)
	}
	f.Fuzz(func(t *testing.T, json string) {
		v, err := wire.FromJSON([]byte(json), wire.Limits{})
		if err != nil {
			t.Skip(err)
		}
		interrupt := host.Interrupt{ID: "ask-1", Value: v}
		questions := question.OfResult(&host.Result{Messages: calls(), Interrupts: []host.Interrupt{interrupt}})
		require.NotEmpty(t, question.Command{Thread: "t"}.Lines(questions))
		sheet := question.NewSheet(questions)
		_ = sheet.Give("ask-1", v)
		for _, c := range questions[0].Calls {
			require.NotEmpty(t, c.Allowed)
			require.True(t, c.Args.IsMap())
			_ = sheet.Decide(c.Ref, question.Decision{Type: c.Allowed[0], Message: new("x"), Args: c.Args})
		}
		_, _ = sheet.Answers("ada")
	})
}
