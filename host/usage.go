package host

import (
	"sync"

	"github.com/agenthost/agenthost/abi"
)

// usage sums the tokens of a run's model calls. It has a lock because tools that run at once may call models, see
// [Runtime.Generate].
type usage struct {
	mu  sync.Mutex
	sum abi.Usage
}

func (u *usage) add(messages []abi.Message) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range messages {
		if spent := messages[i].Usage; spent != nil {
			u.sum = u.sum.Add(*spent)
		}
	}
}

func (u *usage) total() abi.Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sum
}
