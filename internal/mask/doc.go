// Package mask hides secrets in texts that come from outside: responses of servers, and errors that quote them. A server that echoes
// what it was sent would otherwise put a key into a log or a thread.
//
// [Of] makes a [Mask] of secrets. Its Text hides them in a whole text, [Mask.Reader] in a body while it is read, and [Stream] in a text
// that arrives in pieces. A mask also finds the forms in which programs pass a text on by accident: escaped, as hexadecimal digits, and
// in Base64. [IsCredential] and [Credentials] say which parts of a request's headers are secret.
//
// A mask protects against accidents. A server that wants to pass a secret on can disguise it.
package mask
