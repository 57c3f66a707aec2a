// agent-chat-ui: a conversation, a question that a person answers, an answer that is made again, a message that is edited, and the list of threads.
import { open } from "./page.mjs";

const [, , address, server] = process.argv;
const query = new URLSearchParams({ apiUrl: server, assistantId: "helper", chatHistoryOpen: "true" });
const ui = await open(`${address}/?${query}`);

await ui.says("hello");
await ui.sees(/You said: hello/);

await ui.says("note figs: buy figs");
await ui.sees(/I write it down\.\nwrite_file/);
await ui.sees(/Submit rejection/);
await ui.presses(/^Approve$/);
await ui.sees(/Created figs\.md with 8 bytes\.\nIt is written\./);

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
