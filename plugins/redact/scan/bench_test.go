package scan_test

import (
	"strings"
	"testing"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// logText returns n bytes or a little more of a log in which there is nothing to find.
func logText(n int) string {
	const lines = `2026-03-14T09:12:41.318Z INFO  [http-7] req=7f3c9a12 GET /api/v2/products?page=3&sort=price status=200 bytes=18244 took=12.4ms
2026-03-14T09:12:41.402Z DEBUG [pool-2] cache: hit key=product:88213 age=41s size=2.1kB
2026-03-14T09:12:42.007Z WARN  [worker-1] slow query (812 ms): SELECT id, name FROM orders WHERE status = 'open' LIMIT 50
2026-03-14T09:12:42.555Z ERROR [http-3] req=a01b77de checkout failed: upstream payment-gateway returned 503, retry 2 of 5
	at com.shop.checkout.PaymentService.charge(PaymentService.java:142)
`
	return strings.Repeat(lines, n/len(lines)+1)
}

func BenchmarkFind(b *testing.B) {
	clean := logText(256 << 10)
	for _, bench := range []struct{ name, text string }{
		{"clean log", clean},
		{"clean prose", strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody knows why it does so. ", 3300)},
		{"a find every 700 bytes", strings.ReplaceAll(clean, "retry 2 of 5", "ann@shop.example 10.1.2.3")},
		{"hostile", strings.Repeat("token:a@1-::sk-", 17<<10)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			scanner := scan.New()
			matches := make([]scan.Match, 0, 4096)
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				matches = scanner.Find(bench.text, matches[:0])
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	text := strings.ReplaceAll(logText(256<<10), "retry 2 of 5", "ann@shop.example 10.1.2.3")
	matches := scan.New().Find(text, nil)
	for strategy := range scan.Block {
		b.Run(strategy.String(), func(b *testing.B) {
			buffer := make([]byte, 0, 2*len(text))
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				buffer = scan.Apply(buffer[:0], text, matches, strategy)
			}
		})
	}
}
