// Drives `adaptercheck fake openclaw` with openclaw-node, which takes it for a gateway.

import assert from "node:assert/strict";
import { join } from "node:path";
import { OpenClawClient } from "openclaw-node";
import { home, serving, tell } from "./fake.mjs";

let version; // of the gateway that the fake is
let devices = 0; // so far: each gateway gives the client a token of its own for its device
const device = () => join(home, `device-${++devices}.json`);

// connected connects to the fake with a device identity that the client makes and signs with,
// and calls use with the client.
function connected(script, use) {
  return serving("openclaw", script, 2, async (url, line) => {
    const token = line.slice(line.indexOf("=") + 1);
    const client = new OpenClawClient({ url, token, autoReconnect: false, deviceIdentityPath: device() });
    try {
      const hello = await client.connect();
      assert.equal(hello.protocol, 4);
      version = hello.server.version;
      return await use(client, { url, token });
    } finally {
      await client.disconnect();
    }
  });
}

// chat says hello and returns the chunks that come. Each is given to show.
async function chat(client, show = () => {}) {
  const chunks = [];
  for await (const chunk of client.chat("hello", { sessionKey: "main" })) {
    chunks.push(chunk);
    await show(chunk);
  }
  return chunks;
}

const only = (chunks, type) => chunks.filter((chunk) => chunk.type === type);
const text = (chunks) => only(chunks, "text").map((chunk) => chunk.text).join("");
const heard = (chunks) => [...new Set(chunks.map((chunk) => chunk.type))].map((type) => `${only(chunks, type).length} ${type}`).join(", ");

// Each story plays a script, judges what the client makes of it, and says what the client
// heard.
const stories = {
  async text() {
    return connected("text", async (client) => {
      const chunks = await chat(client);
      assert.equal(text(chunks), "Hello, ñandú 🦜.");
      assert.equal(new Set(chunks.map((chunk) => chunk.runId)).size, 1);
      assert.equal(only(chunks, "error").length, 0);
      assert.equal(await client.chatSync("hello again", { sessionKey: "other" }), "Hello, ñandú 🦜.");
      const { sessions } = await client.sessions.list();
      const { messages } = await client.sessions.history("main");
      return `${heard(chunks)}; then ${sessions.length} sessions, ${messages.length} messages in the first`;
    });
  },

  async error() {
    return connected("error", async (client) => {
      const chunks = await chat(client);
      assert.equal(text(chunks), "I will ");
      assert.match(only(chunks, "error")[0].text, /no credit/);
      assert.equal(only(chunks, "error").length, 1);
      return heard(chunks);
    });
  },

  async abort() {
    return connected("abort", async (client) => {
      let answer;
      const chunks = await chat(client, async (chunk) => {
        if (chunk.type === "text") answer = await client.chatAbort("main", chunk.runId);
      });
      assert.deepEqual([answer.aborted, answer.runIds.length], [true, 1]);
      assert.equal(text(chunks), "I will ");
      return `${heard(chunks)}; the gateway says that it aborted`;
    });
  },

  async refused() {
    return connected("text", async (_, { url }) => {
      const stranger = new OpenClawClient({ url, token: "wrong", autoReconnect: false, deviceIdentityPath: device() });
      let refusal;
      stranger.on("error", () => {});
      await assert.rejects(stranger.connect(), (error) => Boolean((refusal = error.message)));
      return refusal;
    });
  },
};

// The version is known when somebody has connected.
await connected("text", () => {});
await tell("openclaw-node", `the fake of OpenClaw ${version}`, stories);
