// processorTime returns how long a function keeps the processor busy, in milliseconds. Other processes do not change that much.
export function processorTime(f) {
	const before = process.cpuUsage();
	f();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
