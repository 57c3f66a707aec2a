// deep-agents-ui: plans, files, subagents, a question that a person answers, an answer that is stopped, and one that goes on while the page is loaded
// again.
import { open, post } from "./page.mjs";

const [, , address, server, model] = process.argv;
const openFor = (assistantId) =>
  open(
    address,
    (config) => {
      localStorage.setItem("deep-agent-config", config);
    },
    JSON.stringify({ deploymentUrl: server, assistantId, langsmithApiKey: "" }),
  );
const ui = await openFor("release-writer");

// asked waits for the question about the file. The page has it folded if it has seen the call before the question.
async function asked() {
  await ui.sees(/write_file\n(.*\n)*Task 1 of 2\nfind out what changed\n(.*\n)*Send$/);
  if (!(await ui.text()).includes("APPROVAL REQUIRED")) await ui.presses(/^write_file$/);
  await ui.sees(/APPROVAL REQUIRED\nThe agent wants to write a file\./);
  await ui.settles();
}

await ui.says("write the notes of release 2");
await ui.sees(/Summarise \/changes\/0001-faster-start\.md\nOUTPUT\nStarts twice as fast/);
await asked();
await ui.presses(/^Approve$/);
await ui.sees(/The notes of release 2 are in RELEASE\.md\.\nAll tasks completed/);

await ui.page.reload({ waitUntil: "networkidle2" });
await ui.sees(/write the notes of release 2\n(.*\n)*The notes of release 2 are in RELEASE\.md\.\nAll tasks completed/);

await ui.says("write the notes of release 2 again");
await asked();
await ui.presses(/^Reject$/);
await ui.types(/^Explain why/, "rejected for now");
await ui.presses(/^Confirm Reject$/);
await ui.sees(/As you wish: nothing was written\./);
await ui.close();

const slow = await openFor("slow");
await slow.says("take your time");
await slow.sees(/I begin/);
await slow.presses(/^Stop$/);
await post(`${model}/left`);
await slow.says("go on");
await slow.sees(/go on\nI begin/);
await slow.page.reload({ waitUntil: "domcontentloaded" });
await slow.sees(/go on\nI begin/);
await post(`${model}/go`);
await slow.sees(/I begin and I end\./);
await slow.close();
console.log("all done");
