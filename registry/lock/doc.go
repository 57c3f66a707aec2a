// Package lock reads and writes agenthost.lock. The file is beside the manifest, and says for each plugin that the manifest takes from
// elsewhere which module was accepted, who signed it, and what it asked for.
//
// A run loads these modules and no others. It uses no network: package cache has the modules, and package registry fetches them.
package lock
