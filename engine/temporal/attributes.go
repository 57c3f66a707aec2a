package temporal

import (
	"context"
	"fmt"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// The search attributes of workflows.
var (
	agentAttribute  = temporal.NewSearchAttributeKeyKeyword("AgenthostAgent")
	ownerAttribute  = temporal.NewSearchAttributeKeyKeyword("AgenthostOwner")
	statusAttribute = temporal.NewSearchAttributeKeyKeyword("AgenthostStatus")
)

// addAttributes adds our search attributes to a namespace that lacks them.
func addAttributes(ctx context.Context, c client.Client, namespace string) error {
	service := c.OperatorService()
	there, err := service.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return err
	}
	missing := map[string]enums.IndexedValueType{}
	for _, name := range []string{agentAttribute.GetName(), ownerAttribute.GetName(), statusAttribute.GetName()} {
		kind, has := there.GetCustomAttributes()[name]
		switch {
		case !has:
			missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		case kind != enums.INDEXED_VALUE_TYPE_KEYWORD:
			return fmt.Errorf("the namespace has a search attribute %s of another type, %s", name, kind)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = service.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing})
	return err
}
