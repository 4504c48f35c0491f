// Raw values: what an adapter says, as it stands, in JSON; and back, the hostile
// values that JSON cannot carry.
import { Code, RpcError } from "./rpc.mjs";

const KEY = "$adaptercheck";
const token = (kind, more) => ({ [KEY]: kind, ...more });

/** Levels of nesting that cross. What is below is the token "deep". */
export const MAX_DEPTH = 64;

/**
 * Puts a value into JSON. It never throws and calls nothing of the value's but its
 * getters.
 */
export function encode(value) {
  return encodeAt(value, 0, new Set());
}

function encodeAt(value, depth, above) {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      if (Number.isNaN(value)) return token("nan");
      if (!Number.isFinite(value)) return token(value > 0 ? "infinity" : "-infinity");
      return value;
    case "undefined":
      return token("undefined");
    case "bigint":
      return token("bigint", { value: String(value) });
    case "function":
    case "symbol":
      return token(typeof value);
  }
  if (value === null) return null;
  if (above.has(value)) return token("cycle");
  try {
    const special = specialToken(value);
    if (special) return special;
    if (depth >= MAX_DEPTH) return token("deep");
    above.add(value);
    return Array.isArray(value) ? encodeList(value, depth, above) : encodeObject(value, depth, above);
  } catch {
    return token("throws"); // a proxy, or a getter that everybody looks at
  } finally {
    above.delete(value);
  }
}

function specialToken(value) {
  if (isPromise(value)) {
    // Nobody waits for it any more: that it is there is the finding.
    Promise.resolve(value).catch(() => {});
    return token("promise");
  }
  if (value instanceof Date) return token("date");
  if (value instanceof Map) return token("map");
  if (value instanceof Set) return token("set");
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return token("buffer");
  return undefined;
}

function encodeList(list, depth, above) {
  const out = [];
  for (let i = 0; i < list.length; i++) out.push(encodeRead(read(list, i), depth, above));
  return out;
}

function encodeObject(object, depth, above) {
  const out = Object.create(null); // a key may be __proto__
  for (const key of keysOf(object)) {
    const got = read(object, key);
    if (got === undefined) continue; // left out, as JSON does
    out[key.toWellFormed()] = encodeRead(got, depth, above);
  }
  return out;
}

const THROWS = Symbol("throws");

// read looks at a property once: a getter may count.
function read(object, key) {
  try {
    return object[key];
  } catch {
    return THROWS;
  }
}

function encodeRead(value, depth, above) {
  return value === THROWS ? token("throws") : encodeAt(value, depth + 1, above);
}

/** Puts the named properties of a value into JSON, those that it has. */
export function encodeProperties(value, keys) {
  if (value === null || typeof value !== "object") return encode(value);
  const out = {};
  for (const key of keys) {
    const got = read(value, key);
    if (got !== undefined) out[key] = encodeRead(got, 0, new Set([value]));
  }
  return out;
}

// keysOf lists what a reader of the object can see: its own enumerable keys, and the
// getters of its classes.
function keysOf(object) {
  const keys = new Set(Object.keys(object));
  for (let p = Object.getPrototypeOf(object); p && p !== Object.prototype && p !== Array.prototype; p = Object.getPrototypeOf(p)) {
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(p))) {
      if (property.get && key !== "__proto__") keys.add(key);
    }
  }
  return keys;
}

/** Reports whether a value is a promise or looks like one. */
export function isPromise(value) {
  if (value instanceof Promise) return true;
  return value !== null && typeof value === "object" && typeof value.then === "function";
}

/** Describes a failure of the adapter, whatever it threw. */
export function rejection(err) {
  const read = (key) => {
    try {
      return err?.[key];
    } catch {
      return undefined;
    }
  };
  const text = (value) => {
    try {
      return String(value).toWellFormed();
    } catch {
      return "";
    }
  };
  const [name, message, code] = [read("name"), read("message"), read("code")];
  const out = {
    name: typeof name === "string" && name ? name.toWellFormed() : err === null ? "null" : typeof err,
    message: typeof message === "string" ? message.toWellFormed() : text(err),
  };
  if (typeof code === "string") out.code = code.toWellFormed();
  return { rejected: out };
}

/**
 * Makes real what the suite names: every `{"$adaptercheck": kind}` in a value becomes
 * the thing itself. A `value` beside the kind is what it holds: the base64 text of a
 * buffer, the milliseconds of a date, the entries of a map, the digits of a bigint, the
 * innermost value of a deep one.
 */
export function decode(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const out = new Array(value.length);
    value.forEach((item, i) => put(out, i, item));
    return out;
  }
  if (typeof value[KEY] === "string") return hostile(value);
  const out = {};
  for (const [key, item] of Object.entries(value)) put(out, key, item);
  return out;
}

function put(object, key, value) {
  if (value?.[KEY] === "throws") return trap(object, key);
  Object.defineProperty(object, key, { value: decode(value), enumerable: true, configurable: true, writable: true });
}

function trap(object, key) {
  Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get() {
      throw new Error("this getter throws");
    },
  });
  return object;
}

/** Levels of what is named "deep": far more than a recursion bears. */
const DEEP = 20_000;

function hostile({ [KEY]: kind, value }) {
  switch (kind) {
    case "undefined":
      return undefined;
    case "promise":
      return Promise.resolve(value);
    case "function":
      return () => value;
    case "symbol":
      return Symbol(value);
    case "bigint":
      return BigInt(typeof value === "string" ? value : 1);
    case "nan":
      return NaN;
    case "infinity":
      return Infinity;
    case "-infinity":
      return -Infinity;
    case "cycle": {
      const loop = { value };
      loop.self = loop;
      return loop;
    }
    case "date":
      return new Date(typeof value === "number" ? value : 0);
    case "map":
      return new Map(entriesOf(value));
    case "set":
      return new Set([value]);
    case "buffer":
      return Buffer.from(typeof value === "string" ? value : "bytes", "base64");
    case "throws":
      return trap({}, "value");
    case "deep": {
      let deep = value ?? "bottom";
      for (let i = 0; i < DEEP; i++) deep = [deep];
      return deep;
    }
    default:
      throw new RpcError(Code.UnsupportedValue, `unsupported value: ${kind}`);
  }
}

// entriesOf are the keys and values of a map, made real themselves.
function entriesOf(value) {
  const pairs = Array.isArray(value) ? value.filter((pair) => Array.isArray(pair) && pair.length === 2) : [];
  return pairs.map(([key, held]) => [decode(key), decode(held)]);
}
