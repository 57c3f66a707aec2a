package reference

import (
	"context"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

const rubricType = "rubric"

// labelGrader gives the model of a rubric its label, unless it has a name of its own.
func labelGrader(config wire.Raw) wire.Raw {
	var fields, grader wire.Map
	if _, err := fields.UnmarshalMsg(config); err != nil {
		return config
	}
	if _, err := grader.UnmarshalMsg(fields.Get("model")); err != nil || grader.Has("name") {
		return config
	}
	grader.Set("name", wire.String("grader"))
	fields.Set("model", grader.Raw())
	return fields.Raw()
}

// makeRubric makes a rubric, whose configuration has two things that are code in the reference and data in a file.
func makeRubric(m *MiddlewareSpec, record *recorder) (host.Middleware, error) {
	o := strict.Open(m.Config, m.Type)
	out := &builtin.Rubric{Tools: hostTools(probe.Tools(o.Objects("tools")), record)}
	if told := o.Object("on_evaluation"); told != nil {
		told.Need("log")
		out.OnEvaluation = logsEvaluation(told.Text("log"))
		_ = told.Done()
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	var plain wire.Map
	if _, err := plain.UnmarshalMsg(m.Config); err != nil {
		return nil, err
	}
	plain.Delete("tools")
	plain.Delete("on_evaluation")
	return out, strictyaml.Decode(m.Type, []byte(plain.Raw().JSON()), out)
}

func logsEvaluation(template string) func(context.Context, *host.Runtime, *builtin.RubricEvaluation) error {
	return func(_ context.Context, rt *host.Runtime, e *builtin.RubricEvaluation) error {
		nativeCall{rt}.Log(strings.NewReplacer(
			"{iteration}", strconv.Itoa(e.Iteration), "{result}", e.Result, "{criteria}", strconv.Itoa(len(e.Criteria)),
			"{unverified}", strconv.FormatBool(e.Unverified), "{explanation}", e.Explanation,
		).Replace(template))
		return nil
	}
}
