// The smallest agent of a JavaScript program: it asks its model once, at MODEL_URL.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { z } from "zod";

class Plain extends BaseChatModel {
  _llmType() {
    return "plain";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const body = JSON.stringify({ messages: messages.map((message) => ({ role: "user", content: message.content })) });
    const response = await fetch(process.env.MODEL_URL, { method: "POST", body });
    const text = (await response.json()).choices[0].message.content;
    return { generations: [{ message: new AIMessage(text), text }] };
  }
}

const search = tool(async () => "result", { name: "search", description: "Searches.", schema: z.object({ q: z.string() }) });
const agent = createAgent({ model: new Plain({}), tools: [search] });
const result = await agent.invoke({ messages: [{ role: "user", content: "hi" }] });
console.log(result.messages.at(-1).content);
