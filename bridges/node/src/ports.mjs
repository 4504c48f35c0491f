// What a history factory is given: the fixture, with the ports of the suite that it names.
import { encode } from "./raw.mjs";

/**
 * Makes a fixture of the suite's. A model that is null is undefined, and `ports` holds a
 * port for each name.
 *
 * @param {(method: string, params: object) => Promise<any>} callBack asks the suite
 */
export function readFixture(fixture, callBack) {
  const { embedding, ports: names = [], ...plain } = fixture ?? {};
  const ports = {};
  if (names.includes("embedding")) {
    ports.embedding = {
      identity: embedding ?? {},
      embed: async (texts) => (await callBack("port/embed", { texts: encode(texts) })).vectors,
    };
  }
  if (names.includes("local-kv")) ports.localKv = localKv(callBack);
  if (names.includes("local-kv-idle")) ports.idleLocalKv = localKv(callBack);
  return { ...plain, model: plain.model ?? undefined, ports };
}

const localKv = (callBack) => ({
  tryReuse: (request) => callBack("port/tryReuse", { request: encode(request) }),
  fullReplay: (request) => callBack("port/fullReplay", { request: encode(request) }),
  shutdown: async () => void (await callBack("port/shutdown", {})),
});
