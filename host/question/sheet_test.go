package question_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/question"
)

// decided is a decision of a table.
type decided struct {
	id string
	d  question.Decision
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	approve, reject := question.Decision{Type: question.Approve}, question.Decision{Type: question.Reject, Message: new("no")}
	for name, test := range map[string]struct {
		asked   []string
		decided []decided
		want    map[string]string
	}{
		"call by call": {
			[]string{review},
			[]decided{{"call-2", approve}, {"call-1", reject}},
			map[string]string{"ask-1": `{"decisions":[{"message":"no","type":"reject"},{"type":"approve"}]}`},
		},
		"all at once": {
			[]string{review},
			[]decided{{"ask-1", approve}},
			map[string]string{"ask-1": `{"decisions":[{"type":"approve"},{"type":"approve"}]}`},
		},
		"all but one": {
			[]string{review},
			[]decided{{"ask-1", approve}, {"call-1", question.Decision{Type: question.Reject}}},
			map[string]string{"ask-1": `{"decisions":[{"type":"reject"},{"type":"approve"}]}`},
		},
		"by place": {
			[]string{review},
			[]decided{{"ask-1/1", reject}, {"ask-1/2", approve}},
			map[string]string{"ask-1": `{"decisions":[{"message":"no","type":"reject"},{"type":"approve"}]}`},
		},
		"edited": {
			[]string{approval},
			[]decided{{"call-3", question.Decision{Type: question.Edit, Args: wire.Map{{Key: "path", Value: wire.String("b")}}.Raw()}}},
			map[string]string{"ask-1": `{"edited_action":{"args":{"path":"b"},"name":"write"},"type":"edit"}`},
		},
		"empty reason": {
			[]string{approval},
			[]decided{{"ask-1", question.Decision{Type: question.Reject, Message: new("")}}},
			map[string]string{"ask-1": `{"type":"reject"}`},
		},
		"empty result": {
			[]string{approval},
			[]decided{{"ask-1", question.Decision{Type: question.Respond, Message: new("")}}},
			map[string]string{"ask-1": `{"message":"","type":"respond"}`},
		},
		"after a crash": {
			[]string{unfinished},
			[]decided{{"call-4", question.Decision{Type: question.Skip, Message: new("paid")}}},
			map[string]string{"ask-1": `{"message":"paid","type":"skip"}`},
		},
		"some now": {
			[]string{review, unfinished, `"Shall I?"`},
			[]decided{{"ask-3", question.Decision{Type: question.Respond, Message: new("true")}}},
			map[string]string{"ask-3": `true`},
		},
		"a text": {
			[]string{`"Who?"`},
			[]decided{{"ask-1", question.Decision{Type: question.Respond, Message: new("Ada")}}},
			map[string]string{"ask-1": `"Ada"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sheet := question.NewSheet(read(t, test.asked...))
			for _, d := range test.decided {
				require.NoError(t, sheet.Decide(d.id, d.d))
			}
			answers, err := sheet.Answers("ada")
			require.NoError(t, err)
			got := map[string]string{}
			for _, a := range answers {
				require.Equal(t, "ada", a.By)
				raw, _ := a.Value.(wire.Raw)
				got[a.Interrupt] = raw.JSON()
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestDecisionsThatAreRefused(t *testing.T) {
	t.Parallel()
	args := wire.Map{}.Raw()
	for name, test := range map[string]struct {
		asked string
		id    string
		d     question.Decision
		want  string
	}{
		"unknown id": {review, "call-7", question.Decision{Type: question.Approve}, `no question or call has the id "call-7"; there are ask-1 (about call-1, call-2)`},
		"not allowed": {
			review, "call-1",
			question.Decision{Type: question.Respond, Message: new("x")},
			`call-1 (write): the decision "respond" is not allowed; it may be one of approve, edit, reject`,
		},
		"of another kind": {unfinished, "call-4", question.Decision{Type: question.Approve}, `call-4 (pay): the decision "approve" is not allowed; it may be one of retry, skip, respond`},
		"message":         {review, "call-1", question.Decision{Type: question.Approve, Message: new("x")}, `call-1 (write): the decision "approve" has no message`},
		"no message":      {review, "call-2", question.Decision{Type: question.Respond}, `call-2 (mail): the decision "respond" needs a message, which is the result of the call`},
		"no arguments":    {review, "call-1", question.Decision{Type: question.Edit}, `call-1 (write): the edited arguments: they must be a JSON object, such as {"path": "a.txt"}`},
		"bad arguments":   {review, "call-1", question.Decision{Type: question.Edit, Args: args}, `call-1 (write): the edited arguments: `},
		"edit of all":     {review, "ask-1", question.Decision{Type: question.Edit, Args: args}, `ask-1 asks about 2 calls, and edit is about one of them: name it by call-1, call-2`},
		"no call":         {`"Shall I?"`, "ask-1", question.Decision{Type: question.Approve}, `ask-1 (ok?) asks for no decision about a tool call; give it an answer by respond, with a message`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, question.NewSheet(read(t, test.asked)).Decide(test.id, test.d), test.want)
		})
	}
}

func TestWhatIsDecidedTwice(t *testing.T) {
	t.Parallel()
	approve := question.Decision{Type: question.Approve}
	sheet := question.NewSheet(read(t, review, approval))
	require.NoError(t, sheet.Decide("call-1", approve))
	require.EqualError(t, sheet.Decide("call-1", approve), "call-1 (write) has two decisions; give one")
	require.EqualError(t, sheet.Give("ask-1", value(t, `{"decisions":[{"type":"approve"},{"type":"approve"}]}`)), "ask-1 is decided already, call by call")
	require.NoError(t, sheet.Decide("ask-1", approve))
	require.EqualError(t, sheet.Decide("ask-1", approve), "ask-1 has two decisions; give one")
	require.NoError(t, sheet.Give("ask-2", value(t, `{"type":"approve"}`)))
	require.EqualError(t, sheet.Give("ask-2", value(t, `{"type":"approve"}`)), "ask-2 is answered twice")
	require.EqualError(t, sheet.Decide("call-3", approve), "ask-2 is answered already, as a whole")
}

func TestEveryCallOfAReviewNeedsADecision(t *testing.T) {
	t.Parallel()
	sheet := question.NewSheet(read(t, review))
	require.NoError(t, sheet.Decide("call-2", question.Decision{Type: question.Approve}))
	_, err := sheet.Answers("")
	require.EqualError(t, err, "ask-1 asks about 2 calls at once, and needs a decision about each; missing: call-1 (write)")

	sheet = question.NewSheet(read(t, review))
	require.NoError(t, sheet.Decide("ask-1", question.Decision{Type: question.Reject}))
	_, err = sheet.Answers("")
	require.EqualError(t, err, `call-2 (mail): the decision "reject" is not allowed; it may be one of approve, respond`)
}

func TestAnswersInTheFormOfTheAsker(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ asked, answer, want string }{
		"review":        {review, `{"decisions":[{"type":"approve"},{"type":"respond","message":"sent"}]}`, ""},
		"null":          {review, `null`, "the answer to ask-1: null is not an answer"},
		"no decisions":  {review, `{"type":"approve"}`, `the answer to ask-1: it must be {"decisions": […]} with a decision about each of the 2 calls`},
		"too few":       {review, `{"decisions":[{"type":"approve"}]}`, "the answer to ask-1: it has 1 decisions, and 2 calls are asked about: call-1, call-2, in this order"},
		"not allowed":   {review, `{"decisions":[{"type":"approve"},{"type":"reject"}]}`, `call-2 (mail): the decision "reject" is not allowed`},
		"no type":       {review, `{"decisions":[{"type":"approve"},"approve"]}`, `call-2 (mail): a decision has a type, such as {"type": "approve"}; found "approve"`},
		"other tool":    {review, `{"decisions":[{"type":"edit","edited_action":{"name":"append","args":{}}},{"type":"approve"}]}`, ""},
		"edit":          {review, `{"decisions":[{"type":"edit","edited_action":{"name":"write","args":{"path":"b"}}},{"type":"approve"}]}`, ""},
		"bad edit":      {review, `{"decisions":[{"type":"edit","edited_action":{"name":"write","args":{}}},{"type":"approve"}]}`, "call-1 (write): the edited arguments"},
		"edit of none":  {review, `{"decisions":[{"type":"edit"},{"type":"approve"}]}`, `call-1 (write): an edit needs {"edited_action": {"name": "write", "args": {…}}}`},
		"after a crash": {unfinished, `{"type":"respond"}`, `call-4 (pay): the decision "respond" needs a message`},
		"anything":      {`"Shall I?"`, `{"yes":[1,2]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sheet := question.NewSheet(read(t, test.asked))
			err := sheet.Give("ask-1", value(t, test.answer))
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			answers, err := sheet.Answers("")
			require.NoError(t, err)
			require.Equal(t, value(t, test.answer), answers[0].Value)
		})
	}
	require.ErrorIs(t, question.NewSheet(nil).Give("ask-1", value(t, "1")), question.ErrNothingAsked)
}
