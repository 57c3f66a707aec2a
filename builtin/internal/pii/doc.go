// Package pii finds personal data in texts and redacts it.
//
// A [Rule] is what to look for and how to replace it. [Rule.Apply] edits a whole text. A [Stream] edits a text that comes
// in pieces; its joined output equals the result of Apply, however the text was cut. Everything takes time linear in the
// text, and a text without a match causes no allocation.
//
// The kinds, strategies and replacements are those of LangChain's PIIMiddleware. Only ASCII letters and digits count as
// such, so an address next to text in another script is found.
package pii
