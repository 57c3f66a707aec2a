// Package pii finds personal data in texts and redacts it.
//
// A [Rule] is what to look for and what to do with it. [Rule.Apply] edits a whole text; a [Stream] edits one that comes in
// pieces, in such a way that its pieces joined are what Apply makes of the whole, however the text was cut. All of it takes
// time linear in the text, and a text without a match costs no memory.
//
// The kinds, the strategies and the texts that take the place of a match are those of LangChain's PIIMiddleware. What
// counts as a letter or a digit is ASCII: an address is found too where it touches text in another script.
package pii
