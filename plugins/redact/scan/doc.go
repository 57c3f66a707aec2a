// Package scan finds personal data and secrets in a text and replaces them.
//
// It is the engine of the redact plugin, but does not depend on plugins: it takes strings and returns offsets. You use
// it in three steps:
//
//	scanner := scan.New()                              // all kinds; scan.New(scan.Email, scan.Card) finds only those
//	matches := scanner.Find(text, buffer[:0])          // in order, never overlapping
//	clean := scan.Apply(nil, text, matches, scan.Mask) // the text with its matches replaced
//
// # How it finds matches
//
// Find makes one pass over the bytes. It looks up each byte once in a table, and most bytes mean nothing. A few bytes
// can be part of a match: an '@', a colon, a digit, the '-' of "sk-". They start a detector, which looks a little back,
// and ahead as far as its match goes. Each detector has its own file: email.go, card.go, ip.go, apikey.go (keys with a
// known shape), assignment.go (values after a known name), privatekey.go.
//
// Overlapping matches are joined into one, from the first byte of the first to the last byte of the last. The joined
// match gets the most serious of their kinds: a key before an '@' is redacted as a key, together with the host name
// after it.
//
// # Guarantees for every text
//
//   - The work is linear in the length of the text, even for hostile texts. There are three reasons. A detector starts
//     only at the border of a run of its own bytes, so no run is read again from each of its positions. Everything else
//     that a detector reads has a fixed length. And a rejected run is remembered.
//   - Find allocates nothing if there are no matches, or if dst has room for them.
//   - Applying Redact, Mask or Hash gives a text in which the same scanner finds nothing. A detector therefore never
//     rejects a match because of text to its right that will itself be replaced.
//   - No UTF-8 sequence is cut: every match begins and ends next to an ASCII byte or at the border of a sequence.
//
// # Relation to LangChain
//
// Names, strategies and their exact texts are those of LangChain's PIIMiddleware, so that prompts and evaluations
// written for it keep working. Detectors are stricter where the reference matches version numbers and floats. They also
// find data that the reference does not: IPv6, card lengths other than 16, keys, passwords, private keys.
//
// TinyGo compiles the package into a plugin of a few dozen kilobytes. That is why it scans by hand and not with regular
// expressions, and why it has its own SHA-256 (the standard one adds 75 KB).
package scan
