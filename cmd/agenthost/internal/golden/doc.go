// Package golden performs the golden cases of a plugin: YAML files that say what a hook is given and what must come of it.
//
// A case is performed by the real host. The plugin is loaded as an agent loads it, in its sandbox, with the isolation call;
// the agent around it has nothing else to do than to bring the run to the hook, with the state and history of the case.
// So the author writes no inputs: the hook is shown what its Description declares, and what it returns is judged and
// applied as in any run. Only what lies outside is scripted: the layers behind next, and operations that reach out of the
// sandbox. What the guest did is taken from its recording.
//
// [Load] reads a case, [Case.Perform] performs it, [Case.Compare] tells what is not as expected, and [Case.Update] writes
// what came of it into the file.
package golden
