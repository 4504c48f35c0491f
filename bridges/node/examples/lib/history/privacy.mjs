// What of a payload may be sent. Everything is searched, and what cannot be searched
// is not sent.
import { markersOf, withoutTags } from "./markers.mjs";
import { assignedTo, redact } from "./secrets.mjs";

const LOCAL_PROVIDERS = new Set(["ollama", "llama-cpp", "lmstudio"]);
const REMOTE_MAY_SEE = new Set(["normal", "internal"]);

const MAX_DEPTH = 200;
const MAX_VALUES = 1_000_000;

/** Says that a payload cannot be screened. It quotes nothing of it. */
export class PrivacyError extends Error {
  name = "PrivacyError";
}

const isBlank = (s) => typeof s !== "string" || s.trim() === "";

/** Gives what of a payload may go to a provider, as a copy. */
export function enforce(provider, payload) {
  if (isBlank(provider)) throw new PrivacyError("the provider is blank");
  const destination = LOCAL_PROVIDERS.has(provider) ? "local" : "remote";
  const screen = new Screen(destination === "remote");
  const sent = screen.value(payload, "", 0);
  return { provider, destination, payload: sent, changed: screen.changed, blockedBlocks: screen.blocked, secretRedactions: screen.secrets };
}

class Screen {
  changed = false;
  blocked = 0;
  secrets = 0;
  #remote;
  #values = 0;

  constructor(remote) {
    this.#remote = remote;
  }

  value(value, key, depth) {
    if (depth > MAX_DEPTH) throw new PrivacyError("the payload is nested too deeply, or in a cycle");
    if (++this.#values > MAX_VALUES) throw new PrivacyError("the payload is too large");
    switch (typeof value) {
      case "string":
        return this.#text(value, key);
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value)) return value;
        break;
      case "object":
        if (value === null) return null;
        if (Array.isArray(value)) return this.#list(value, key, depth);
        return this.#object(value, depth);
    }
    throw new PrivacyError(`the payload holds a ${typeof value} that cannot be searched`);
  }

  #list(list, key, depth) {
    const properties = plainProperties(list, Array.prototype);
    if (properties.length !== list.length) throw new PrivacyError("the payload holds a list that is no plain list");
    return properties.map(([, item]) => this.value(item, key, depth + 1));
  }

  #object(object, depth) {
    const out = {};
    for (const [key, item] of plainProperties(object, Object.prototype)) {
      if (item === undefined) continue; // it is not sent either way
      let name = this.#text(key, "");
      while (Object.hasOwn(out, name)) name += "_";
      Object.defineProperty(out, name, { value: this.value(item, key, depth + 1), enumerable: true, configurable: true, writable: true });
    }
    return out;
  }

  #text(text, key) {
    if (!this.#remote) return text;
    let out = this.#classify(text);
    const redacted = assignedTo(key, out) ?? redact(out);
    this.secrets += redacted.count;
    out = redacted.text;
    this.changed ||= out !== text;
    return out;
  }

  // A marker that is not in order says that something is private and not what: then
  // nothing of the payload is sent.
  #classify(text) {
    const { markers, broken } = markersOf(text);
    if (broken) throw new PrivacyError("the payload has markers that do not pair up");
    if (markers.length === 0) return text;
    const out = withoutTags(text, markers, (span, cls) => {
      if (REMOTE_MAY_SEE.has(cls)) return span;
      this.blocked++;
      return `[withheld: ${cls} content]`;
    });
    if (markersOf(out).markers.length > 0 || markersOf(out).broken) throw new PrivacyError("the payload has markers within markers");
    return out;
  }
}

// plainProperties lists a plain value's own properties without running anything of it.
function plainProperties(value, prototype) {
  const proto = Object.getPrototypeOf(value);
  if (proto !== prototype && proto !== null) throw new PrivacyError("the payload holds a value that is no plain data");
  if (Object.getOwnPropertySymbols(value).length > 0) throw new PrivacyError("the payload holds a value with symbols");
  const out = [];
  for (const [key, p] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!("value" in p)) throw new PrivacyError("the payload holds an accessor");
    if (p.enumerable) out.push([key, p.value]);
    else if (!(Array.isArray(value) && key === "length")) throw new PrivacyError("the payload holds a hidden property");
  }
  return out;
}
