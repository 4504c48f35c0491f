// Drives `adaptercheck fake openclaw` with the client of the gateway's own people, which
// takes it for a gateway.

import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { GatewayClient } from "@openclaw/gateway-client";
import { PROTOCOL_VERSION } from "@openclaw/gateway-protocol/version";
import { serving, tell } from "./fake.mjs";

let version; // of the gateway that the fake is

const raw = (pem) => Buffer.from(createPublicKey(pem).export({ format: "jwk" }).x, "base64url");

// device is an identity as hosts of the client keep it, and what it signs with.
function device() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" });
  return {
    deviceIdentity: {
      deviceId: createHash("sha256").update(raw(publicKeyPem)).digest("hex"),
      publicKeyPem,
      privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }),
    },
    hostDeps: {
      signDevicePayload: (pem, payload) => sign(null, Buffer.from(payload), pem).toString("base64url"),
      publicKeyRawBase64UrlFromPem: (pem) => raw(pem).toString("base64url"),
    },
  };
}

// connected connects to the fake and calls use with the client and the events, which come in
// a list and wake who waits for one.
function connected(script, use, options = {}) {
  return serving("openclaw", script, 2, async (url, line) => {
    const hello = Promise.withResolvers();
    const events = [];
    let wake = () => {};
    const client = new GatewayClient({
      url,
      token: line.slice(line.indexOf("=") + 1),
      minProtocol: PROTOCOL_VERSION,
      maxProtocol: PROTOCOL_VERSION,
      scopes: ["operator.read", "operator.write"],
      caps: ["tool-events"],
      ...device(),
      onHelloOk: hello.resolve,
      onConnectError: hello.reject,
      onGap: (gap) => hello.reject(new Error(`frames ${gap.expected} to ${gap.received} are missing`)),
      onEvent: (event) => {
        events.push(event);
        wake();
      },
      ...options,
    });
    client.start();
    try {
      const { protocol, server } = await hello.promise;
      assert.equal(protocol, 4);
      version = server.version;
      const until = async (is) => {
        let found;
        while (!(found = events.find(is))) await new Promise((resolve) => (wake = resolve));
        return found.payload;
      };
      return await use(client, events, until);
    } finally {
      client.stop();
    }
  });
}

// send begins a run and returns its id.
async function send(client) {
  const { runId, status } = await client.request("chat.send", { sessionKey: "main", message: "hello", idempotencyKey: randomUUID() });
  assert.equal(status, "started");
  return runId;
}

const chatState = (run, state) => ({ event, payload }) => event === "chat" && payload.runId === run && payload.state === state;
const tools = (events, run) => events.filter(({ event, payload }) => event === "agent" && payload.runId === run && payload.stream === "tool").map(({ payload }) => payload.data);
const heard = (events) => [...new Set(events.map(({ event }) => event))].map((name) => `${events.filter(({ event }) => event === name).length} ${name}`).join(", ");
const pieces = (events, run) => events.filter(chatState(run, "delta")).map(({ payload }) => payload.deltaText).join("");

// Each story plays a script, judges what the client makes of it, and says what the client
// heard.
const stories = {
  async text() {
    return connected("text", async (client, events, until) => {
      const run = await send(client);
      const final = await until(chatState(run, "final"));
      assert.equal(final.message.content[0].text, "Hello, ñandú 🦜.");
      assert.equal(pieces(events, run), "Hello, ñandú 🦜.");
      const { messages } = await client.request("chat.history", { sessionKey: "main", limit: 10 });
      assert.equal(messages.at(-1).role, "assistant");
      return `${heard(events)}; ${messages.length} messages in the history`;
    });
  },

  async tool() {
    return connected("tool", async (client, events, until) => {
      const run = await send(client);
      await until(chatState(run, "final"));
      const [start, ...rest] = tools(events, run);
      assert.deepEqual([start.phase, start.name, start.args], ["start", "exec", { command: "ls -1" }]);
      const result = rest.at(-1);
      assert.deepEqual([result.phase, result.isError, result.toolCallId], ["result", false, start.toolCallId]);
      assert.equal(result.result.content[0].text, "a.txt");
      return heard(events);
    });
  },

  async error() {
    return connected("error", async (client, events, until) => {
      const run = await send(client);
      const { errorMessage } = await until(chatState(run, "error"));
      assert.match(errorMessage, /no credit/);
      return heard(events);
    });
  },

  async abort() {
    return connected("abort", async (client, events, until) => {
      const run = await send(client);
      await until(chatState(run, "delta"));
      const answer = await client.request("chat.abort", { sessionKey: "main", runId: run });
      assert.deepEqual(answer, { ok: true, aborted: true, runIds: [run] });
      const { message } = await until(chatState(run, "aborted"));
      assert.equal(message.content[0].text, "I will ");
      return heard(events);
    });
  },

  async refused() {
    let refusal;
    await assert.rejects(connected("text", () => {}, { token: "wrong" }), (error) => Boolean((refusal = error.message)));
    return refusal;
  },
};

await connected("text", () => {});
await tell("@openclaw/gateway-client", `the fake of OpenClaw ${version}`, stories);
