// agent-chat-ui: a conversation, a question that a person answers, an answer that is made again, a message that is edited, the list of threads, and an
// answer that goes on after the page has left it.
import { idle, open, post } from "./page.mjs";

const [, , address, server, model] = process.argv;
const at = (assistantId) => `${address}/?${new URLSearchParams({ apiUrl: server, assistantId, chatHistoryOpen: "true" })}`;
const ui = await open(at("helper"));

await ui.says("hello");
await ui.sees(/You said: hello/);

await ui.says("note figs: buy figs");
await ui.sees(/I write it down\.\nwrite_file/);
await ui.sees(/Submit rejection/);
await ui.settles();
await ui.presses(/^Approve$/);
await ui.sees(/Created figs\.md with 8 bytes\.\nIt is written\./);

await ui.says("note pears: buy pears");
await ui.sees(/pears\.md(.*\n)*Submit rejection/);
await ui.settles();
await ui.types(/^Share feedback/, "no pears");
await ui.presses(/^Submit rejection$/);
await ui.sees(/I did not write it\./);

await ui.says("second");
await ui.sees(/You said: second/);
await ui.presses(/^Refresh$/);
await ui.sees(/You said: second\n2 \/ 2/);

await ui.presses(/^Edit$/);
const [field] = await ui.page.$$("textarea");
await field.click({ clickCount: 3 });
await ui.page.keyboard.type("edited");
await ui.presses(/Submit/);
await ui.sees(/You said: edited/);

await ui.page.reload({ waitUntil: "networkidle2" });
await ui.sees(/Thread History\nhello\n(.*\n)*It is written\.\n(.*\n)*You said: edited/);
await ui.close();

// This page leaves a run that a person cancels, and says that it may go on.
const slow = await open(at("slow"));
await slow.says("take your time");
await slow.sees(/I begin/);
await slow.presses(/^Cancel$/);
await slow.sees(/Send$/);
await post(`${model}/go`);
await idle(server);
await slow.page.reload({ waitUntil: "networkidle2" });
await slow.sees(/take your time\n(.*\n)*I begin and I end\./);
await slow.close();
console.log("all done");
