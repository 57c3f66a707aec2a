package host

import (
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// usage sums the tokens and the cost of a run's model calls. It has a lock because tools that run at once may call models, see
// [Runtime.Generate].
type usage struct {
	mu   sync.Mutex
	sum  abi.Usage
	cost model.Cost
}

func (u *usage) add(messages []abi.Message, cost model.Cost) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range messages {
		if spent := messages[i].Usage; spent != nil {
			u.sum = u.sum.Add(*spent)
		}
	}
	u.cost = u.cost.Add(cost)
}

func (u *usage) spent() model.Cost {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cost
}

func (u *usage) total() abi.Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sum
}
