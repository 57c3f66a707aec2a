// Package minisig makes and checks signatures in the format of minisign (https://jedisct1.github.io/minisign/): the signature of
// a file is in a file of the same name with the suffix .minisig, and a public key is a line that begins with RW.
//
// Plugins and agents are signed by their authors with these signatures, wherever they are kept.
package minisig
