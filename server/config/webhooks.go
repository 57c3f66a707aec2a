package config

import (
	"net/netip"
	"time"

	"github.com/agenthost/agenthost/internal/publicnet"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/runs/webhook"
)

// Webhooks says where the server may tell how runs ended. Clients give the addresses, so only public ones are allowed.
type Webhooks struct {
	// networks that are not public, and that clients may nevertheless name, such as 10.1.0.0/16
	AllowPrivate []string      `yaml:"allow_private"`
	Timeout      time.Duration `yaml:"timeout" strict:"min=1s,max=5m" schema:"default=10s"` // how long one delivery may take; default 10s
	Attempts     int           `yaml:"attempts" strict:"min=1,max=20" schema:"default=5"`   // how often a delivery is tried; default 5
}

func defaultWebhooks() Webhooks {
	return Webhooks{Timeout: webhook.DefaultTimeout, Attempts: webhook.DefaultAttempts}
}

// CheckStrict checks the networks.
func (w *Webhooks) CheckStrict(n strictyaml.Node) error {
	networks, _ := n.Get("allow_private")
	for i, item := range networks.Items() {
		network, err := netip.ParsePrefix(w.AllowPrivate[i])
		if err != nil || !publicnet.IsNetwork(network) {
			return item.Errorf("%q is not a network; write it as 10.0.0.0/8 or fc00::/7, without bits after the prefix", w.AllowPrivate[i])
		}
	}
	return nil
}

// Private returns the networks of allow_private.
func (w *Webhooks) Private() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range w.AllowPrivate {
		if network, err := netip.ParsePrefix(text); err == nil {
			out = append(out, network)
		}
	}
	return out
}
