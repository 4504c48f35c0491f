// Loading a module and telling what kind of subject it is.
import path from "node:path";
import { pathToFileURL } from "node:url";

import { declarations, harnessFeatures, historyFeatures, wireFeatures } from "./features.mjs";

const isObject = (x) => x !== null && (typeof x === "object" || typeof x === "function");
const has = (x, name) => isObject(x) && typeof x[name] === "function";

/** Reports whether a value is a subject of any kind. */
export function isSubject(x) {
  return has(x, "emit") || has(x, "create") || has(x, "makeAdapter");
}

/**
 * One module, which gives a fresh subject for every instance: a factory is called
 * again; a module that exports an object is evaluated again.
 */
export class Module {
  #url;
  #loads = 0;

  constructor(file) {
    this.#url = /^(file|data):/.test(file) ? file : pathToFileURL(path.resolve(file)).href;
    this.file = file;
  }

  /** A subject of its own for each call. */
  async fresh() {
    let exported = await import(this.#url);
    const factory = exportOf(exported);
    if (!isSubject(factory) && typeof factory === "function") return checked(await made(factory), this.file);
    if (this.#loads++ > 0 && !this.#url.startsWith("data:")) exported = await import(`${this.#url}?instance=${this.#loads}`);
    return checked(exportOf(exported), this.file);
  }

  /** What the module is, for `initialize`. */
  async describe() {
    const subject = await this.fresh();
    const harness = has(subject, "emit");
    const executor = harness || has(subject, "makeAdapter");
    const history = has(subject, "create");
    const features = [];
    if (executor) features.push(...(harness ? harnessFeatures(subject) : wireFeatures(subject)));
    if (history) features.push(...historyFeatures(subject));
    return {
      name: safeName(subject.label ?? subject.name, path.basename(this.file, path.extname(this.file))),
      contracts: [...(executor ? ["executor"] : []), ...(history ? ["history"] : [])],
      mode: executor && !harness ? "wire" : "harness",
      features: [...new Set(features)],
      declares: declarations(subject),
      batch: harness,
    };
  }
}

// exportOf is the default export, or the module itself where it has none.
function exportOf(exported) {
  return exported.default ?? exported;
}

async function made(factory) {
  const isClass = /^class\b/.test(Function.prototype.toString.call(factory));
  return isClass ? new factory() : factory();
}

function checked(subject, file) {
  if (isSubject(subject)) return subject;
  throw new TypeError(`${path.basename(file)}: the default export, or what it returns, has none of emit (executor harness), makeAdapter (wire mode) and create (history)`);
}

// safeName keeps to the protocol's alphabet.
function safeName(given, fallback) {
  const clean = (x) => (typeof x === "string" ? x.replace(/[^A-Za-z0-9._+-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64) : "");
  return clean(given) || clean(fallback) || "subject";
}
