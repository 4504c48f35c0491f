// Loading a module and telling what kind of subject it is.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { declarations, harnessFeatures, historyFeatures, wireFeatures } from "./features.mjs";
import { LoadError } from "./loaderror.mjs";

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
    if (this.#url.startsWith("file:") && !fs.existsSync(fileURLToPath(this.#url))) throw new LoadError(`${this.file}: no such file`);
    let exported = await this.#evaluated(this.#url);
    const factory = exportOf(exported);
    if (!isSubject(factory) && typeof factory === "function") return checked(await made(factory), this.file);
    if (this.#loads++ > 0 && !this.#url.startsWith("data:")) exported = await this.#evaluated(`${this.#url}?instance=${this.#loads}`);
    return checked(exportOf(exported), this.file);
  }

  async #evaluated(url) {
    try {
      return await import(url);
    } catch (err) {
      if (err?.code !== "ERR_UNKNOWN_FILE_EXTENSION" || !/\.[cm]?ts"/.test(err.message)) throw err;
      throw new LoadError(`${this.file}: Node ${process.versions.node} reads no TypeScript: compile it, or see "TypeScript" in the README of the bridge`);
    }
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

// exportOf is the default export, or the module itself where it has none. A module that
// was compiled to CommonJS is the default export, and has its own in it.
function exportOf(exported) {
  const whole = exported.default ?? exported;
  return whole.__esModule ? (whole.default ?? whole) : whole;
}

async function made(factory) {
  const isClass = /^class\b/.test(Function.prototype.toString.call(factory));
  return isClass ? new factory() : factory();
}

function checked(subject, file) {
  const missing = has(subject, "emit") && ["makeAdapter", "frames"].find((name) => !isObject(subject[name]));
  if (missing) throw new LoadError(`${path.basename(file)}: an executor harness has ${missing} beside emit, and there is none`);
  if (isSubject(subject)) return subject;
  throw new LoadError(`${path.basename(file)}: the default export, or what it returns, has none of emit (executor harness), makeAdapter (wire mode) and create (history)`);
}

// safeName keeps to the protocol's alphabet.
function safeName(given, fallback) {
  const clean = (x) => (typeof x === "string" ? x.replace(/[^A-Za-z0-9._+-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64) : "");
  return clean(given) || clean(fallback) || "subject";
}
