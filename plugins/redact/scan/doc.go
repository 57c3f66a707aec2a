// Package scan finds personal data and secrets in a text and replaces them.
//
// It is the engine of the redact plugin and knows nothing of plugins: strings go in, offsets come out. Three steps
// make its whole use:
//
//	scanner := scan.New()                              // every kind; scan.New(scan.Email, scan.Card) only those
//	matches := scanner.Find(text, buffer[:0])          // in order, never overlapping
//	clean := scan.Apply(nil, text, matches, scan.Mask) // the text with its matches replaced
//
// # How it finds
//
// Find is one pass over the bytes. Most bytes are looked at once, in a table, and mean nothing. The few that can stand
// inside a find (an '@', a colon, a digit, the '-' of "sk-") wake a detector, which looks a little back and as far
// ahead as its find goes. There is one detector a file: email.go, card.go, ip.go, apikey.go (keys that are known by
// their shape), assignment.go (values that are known by the name before them), privatekey.go.
//
// Finds that overlap become one, from the first byte of the first to the last byte of the last, of the gravest kind
// among them: a key before an '@' is redacted as a key, together with the host that follows.
//
// # What holds for every text
//
//   - The work is linear in the length of the text, also for a text made to hurt. Three habits see to it: a detector
//     starts only at the border of a run of its own bytes, so that no run is read from every one of its positions; what
//     it looks at otherwise has a fixed length; and what is known of a rejected run is remembered.
//   - Nothing is allocated when nothing is found, nor when dst has room.
//   - Applying Redact, Mask or Hash gives a text in which the same scanner finds nothing. A detector therefore never
//     decides against a find because of something to its right that is itself going to be replaced.
//   - No UTF-8 sequence is cut: every match begins and ends next to an ASCII byte or at the border of a sequence.
//
// # What it borrows
//
// Names, strategies and their exact texts are those of LangChain's PIIMiddleware, so that prompts and evaluations
// written for it keep working. Detectors are stricter where the reference answers to version numbers and floats, and
// wider where it has nothing: IPv6, card lengths other than 16, keys, passwords, private keys.
//
// The package is compiled by TinyGo into a plugin of a few dozen kilobytes. That is why it scans by hand instead of by
// regular expression, and why it brings its own SHA-256 (the standard one adds 75 KB).
package scan
