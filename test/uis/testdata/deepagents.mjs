// deep-agents-ui: plans, files, subagents, and a question that a person answers.
import { open } from "./page.mjs";

const [, , address, server] = process.argv;
const ui = await open(
  address,
  (deploymentUrl) => {
    localStorage.setItem("deep-agent-config", JSON.stringify({ deploymentUrl, assistantId: "release-writer", langsmithApiKey: "" }));
  },
  server,
);

await ui.says("write the notes of release 2");
await ui.sees(/Summarise \/changes\/0001-faster-start\.md\nOUTPUT\nStarts twice as fast/);
await ui.sees(/APPROVAL REQUIRED\nThe agent wants to write a file\./);
await ui.sees(/Task 1 of 2\nfind out what changed/);
await ui.presses(/^Approve$/);
await ui.sees(/The notes of release 2 are in RELEASE\.md\.\nAll tasks completed/);

await ui.page.reload({ waitUntil: "networkidle2" });
await ui.sees(/write the notes of release 2\n(.*\n)*The notes of release 2 are in RELEASE\.md\.\nAll tasks completed/);
await ui.close();
