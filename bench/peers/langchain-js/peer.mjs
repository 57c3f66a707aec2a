// LangChain's createAgent in the benchmarks: node peer.mjs SUITE CASE SECONDS. It performs one case of a suite (see loop.mjs and
// hooks.mjs) and prints what it took as JSON.
process.env.LANGSMITH_TRACING = "false";
process.env.LANGCHAIN_TRACING_V2 = "false";

const [suite, name, seconds] = process.argv.slice(2);
const suites = { loop: "./loop.mjs", hooks: "./hooks.mjs" };
if (!(suite in suites)) {
  console.error(`it has no suite ${suite}`);
  process.exit(2);
}
const { perform } = await import(suites[suite]);
console.log(JSON.stringify(await perform(name, Number(seconds))));
