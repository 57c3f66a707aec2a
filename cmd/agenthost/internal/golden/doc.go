// Package golden runs the golden cases of a plugin: YAML files that say what a hook gets and what it must do.
//
// The real host performs a case. It loads the plugin as for an agent, in its sandbox, with the isolation call. The agent
// around the plugin only leads the run to the hook, with the state and history of the case. So the author of a case writes no
// input documents: the hook sees what its Description declares, and the host checks and applies its result as in any run.
// Only the outside is scripted: the layers behind next, and the operations that leave the sandbox. The outcome comes from the
// recording of the guest.
//
// [Load] reads a case, [Case.Perform] runs it, [Case.Compare] returns the differences from what is expected, and
// [Case.Update] writes the outcome into the file.
package golden
