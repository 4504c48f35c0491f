/**
 * What a module that adaptercheck-bridge serves may export by default: one of the three
 * kinds of subject, or a function or class that makes one. A function is called anew for
 * every instance; a module that exports an object is evaluated anew for every instance.
 */
export type SubjectModule = Subject | (() => Subject | Promise<Subject>) | (new () => Subject);

/** One subject. The kinds are told apart by `emit`, `create` and `makeAdapter`. */
export type Subject = SeedHarness | ExecutorHarness | WireSubject | HistoryFactory;

// ---------------------------------------------------------------- the executor contract

/** Names the task that a run is for; both may be absent. */
export interface TaskHandle {
  taskId?: string | null;
  teamId?: string | null;
}

/** What a host starts a run with. */
export interface StartOpts {
  agentId: string;
  sessionKey: string;
  message: string;
  model?: string | null;
  context?: string | null;
  childToolBlocklist?: string[];
}

/** One run as the host holds it. The adapter sets `runId` with the first event. */
export interface RunHandle {
  readonly adapterId: string;
  readonly sessionKey: string;
  runId: string | null;
}

/** What a runtime can do. Absent optional fields mean no, or unknown. */
export interface Capabilities {
  streaming: boolean;
  mcp: boolean;
  worktrees: boolean;
  resume: boolean;
  toolApproval: boolean;
  /** Model names; empty: the list is owned elsewhere. */
  models: string[];
  steerable?: boolean;
  /** Tokens. */
  contextWindowTokens?: number;
  /** Absent is `wrapped-oneshot`. */
  runtimeClass?: "wrapped-oneshot" | "connected-substrate" | "native";
  nativeHome?: { scope: "per-identity" | "per-run"; persist: boolean };
  nativeSkills?: "preserve" | "none";
  nativeMemory?: "preserve" | "none";
  nativeChannels?: "gateway" | "none";
  nativeScheduler?: boolean;
}

/** Tokens of one cost event. The two inputs do not overlap. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
}

/** What every event carries. */
export interface Envelope {
  runId: string;
  sessionId: string | null;
  /** Whole milliseconds since the epoch. */
  ts: number;
  /** Strictly increasing over a stream. */
  seq: number;
}

/** One event of a run: seven kinds. */
export type RuntimeEvent = Envelope &
  (
    | { kind: "text-delta"; text: string; channel?: "assistant" | "reasoning" }
    | { kind: "tool-call"; toolCallId: string; name: string; input: unknown; partial: boolean }
    | { kind: "tool-result"; toolCallId: string; name: string; output: string; isError: boolean }
    | { kind: "status"; phase: "init" | "thinking" | "running" | "turn-complete"; model?: string; detail?: string }
    | { kind: "cost"; costUsd: number | null; usage: Usage; model: string | null; estimated?: true }
    | { kind: "done"; reason: "success" | "max_turns" | "aborted" | "error"; summary: string; usage?: Usage; costUsd?: number | null }
    | { kind: "error"; code: string | null; message: string; fatal: boolean }
  );

/** An adapter of the executor contract. */
export interface RuntimeAdapter {
  readonly id: string;
  readonly participantKind: "agent" | "human";
  capabilities(): Capabilities;
  /** Never rejects. */
  health(): Promise<{ ok: boolean; message?: string }>;
  /** Rejects if the run is refused; an error with the code `busy` says that the session has a live run. */
  start(task: TaskHandle, opts: StartOpts): Promise<RunHandle>;
  /** Subscribes during the call. */
  events(run: RunHandle): AsyncIterable<RuntimeEvent>;
  abort(run: RunHandle): Promise<void>;
  setModel(run: RunHandle, model: string): Promise<void>;
  writeContext(run: RunHandle, key: string, value: string): Promise<void>;
  sessionCodec?: { serialize(run: RunHandle): Promise<string>; restore(blob: string): Promise<RunHandle> };
  /** Answers a question of the runtime. */
  approve?(run: RunHandle, id: string, allow: boolean): Promise<void>;
  dispose?(): Promise<void>;
}

/** One thing that reached the fake runtime. */
export interface RecordedCall {
  /** Names with abort, cancel, interrupt or stop are cancels. */
  method: string;
  params: unknown;
}

/**
 * The smallest executor harness: the adapter's own fake runtime with five frames. What
 * five frames cannot show is unobserved.
 */
export interface SeedHarness<Frame = unknown, Adapter extends RuntimeAdapter = RuntimeAdapter> {
  label: string;
  makeAdapter(): Adapter | Promise<Adapter>;
  /** Starts a run. Message, context and model are replaced by the suite's; the session key stays. */
  start?(adapter: Adapter): Promise<RunHandle>;
  /** Lets the fake say a frame. */
  emit(frame: Frame): void | Promise<void>;
  frames: {
    delta(text: string): Frame;
    toolCall(name: string, input: unknown): Frame;
    /** The terminal frame of a success. */
    final(summary: string): Frame;
    /** The terminal frame of a run that was cancelled. */
    aborted(): Frame;
    /** A failure that ends the run. */
    error(message: string): Frame;
  };
  /** Everything that reached the fake, in order. */
  recordedCalls(): RecordedCall[] | Promise<RecordedCall[]>;
  /** Releases what the harness holds, when an instance is closed. */
  close?(): void | Promise<void>;
}

/** Which run a frame or a fault is for. */
export interface Address {
  /** The session key. */
  session?: string;
  /** The native run id that an init frame gave, if there was one. */
  run?: string;
  /** The adapter's handle of the run. */
  handle?: RunHandle;
}

/** Words for what a subject can be seen to do. */
export type Feature =
  | "native-run-id" | "init" | "deltas" | "reasoning" | "tools" | "partial-input" | "usage" | "money" | "max-turns"
  | "token-limit" | "retract" | "terminal-frame" | "framed" | "second-run" | "sessions" | "start-options" | "health-down"
  | "refuse" | "silent" | "cut" | "exit-codes" | "approvals" | "steer" | "codec" | "process" | "observers"
  | "unknown-frames" | "mild-errors" | "live-text" | "native-session" | "nested"
  | "connected" | "reconnect" | "source" | "append" | "ports";

/** Which of several right behaviours an adapter has; absent: either, but always the same. */
export interface Declarations {
  secondStart?: "queues" | "refuses";
  queue?: "drop" | "block";
  blocklist?: "delivered" | "undeliverable";
}

/** Tokens and money as a runtime tells them. */
export interface UsageNumbers {
  /** `turn`: this model call alone; `total`: running total of the session; `last`: the last call, with the total beside it. */
  kind: "turn" | "total" | "last";
  in?: number;
  out?: number;
  cacheRead?: number;
  reasoning?: number;
  totalIn?: number;
  totalOut?: number;
  /** US dollars. */
  cost?: number;
  model?: string;
}

/** A frame maker returns undefined for what its runtime's wire has no form for. */
type Maybe<Frame> = Frame | undefined | null;

/** The frames of a harness that knows more than five. Each further one is optional. */
export interface Frames<Frame = unknown> {
  delta(text: string, more: { msg?: string; part?: string; at?: number }): Maybe<Frame>;
  toolCall(name: string, input: unknown, id: string): Maybe<Frame>;
  final(summary: string): Maybe<Frame>;
  aborted(): Maybe<Frame>;
  /** One that takes a message alone is always fatal. */
  error(message: string, more: { code: string | null; fatal: boolean }): Maybe<Frame>;

  /** The first life sign: the native ids are known from here on. */
  init?(runId: string | undefined, nativeSession: string | undefined, more: { model?: string; cwd?: string }): Maybe<Frame>;
  reasoning?(text: string): Maybe<Frame>;
  /** A whole message, which is not the end. */
  message?(text: string | null, more: { msg?: string }): Maybe<Frame>;
  /** The whole text of a part so far. */
  snapshot?(text: string, more: { part?: string }): Maybe<Frame>;
  toolCallPart?(index: number, fragment: string, more: { id?: string; name?: string }): Maybe<Frame>;
  toolResult?(id: string, output: string, isError: boolean, name?: string): Maybe<Frame>;
  usage?(numbers: UsageNumbers): Maybe<Frame>;
  turn?(state: string, text?: string): Maybe<Frame>;
  ask?(id: string, tool?: string): Maybe<Frame>;
  maxTurns?(summary: string): Maybe<Frame>;
  tokenLimit?(summary: string): Maybe<Frame>;
  /** A terminal frame with an error flag, whatever its label; without it `error` is used. */
  failed?(message: string, label: string): Maybe<Frame>;
  unknown?(type: string, fields: Record<string, unknown>): Maybe<Frame>;
  malformed?(line?: string): Maybe<Frame>;
  stderr?(text: string): Maybe<Frame>;
}

/** What a fake can do wrong. */
export type Fault =
  | "silent" | "deaf" | "hold" | "cut" | "exit" | "refuse" | "down" | "slow" | "torn" | "crlf" | "held"
  | "up" | "drop" | "restart" | "lose" | "swallow";

/** An executor harness that knows more than the five frames. */
export interface ExecutorHarness<Frame = unknown, Adapter extends RuntimeAdapter = RuntimeAdapter> {
  label: string;
  /** Beside those that follow from the frames. */
  features?: Feature[];
  declares?: Declarations;
  makeAdapter(): Adapter | Promise<Adapter>;
  start?(adapter: Adapter, task: TaskHandle, opts: StartOpts): Promise<RunHandle>;
  emit(frame: Frame, to: Address): void | Promise<void>;
  frames: Frames<Frame>;
  /** Misbehaves. False: the fake has no such fault. A fake with faults reacts to a cancel by itself. */
  fault?(name: Fault, args: Address & { delay?: number; code?: number; signal?: string }): boolean | void | Promise<boolean | void>;
  recordedCalls(): RecordedCall[] | Promise<RecordedCall[]>;
  close?(): void | Promise<void>;
}

/** How the suite's fake of a runtime is reached. */
export interface Endpoint {
  /** The program to start, and its first arguments. */
  command?: string[];
  url?: string;
  /** Variables to set, as name=value. */
  env?: string[];
  /** The directory that the runtime treats as its own home. */
  dir?: string;
}

/** An executor subject whose runtime is played by the suite. */
export interface WireSubject {
  label?: string;
  /** What can be seen; absent: all that the wire has. */
  features?: Feature[];
  declares?: Declarations;
  makeAdapter(endpoint: Endpoint): RuntimeAdapter | Promise<RuntimeAdapter>;
}

// ----------------------------------------------------------------- the history contract

/** The model that a runtime has selected. */
export interface ModelDescriptor {
  provider: string;
  id: string;
  contextWindow: number;
  maxTokens?: number;
  reasoning?: boolean;
  input?: string[];
  /** US dollars per million tokens. */
  cost?: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

/** One message of a canonical history. Fields that are not known are kept. */
export interface CanonicalMessage {
  id: string;
  sourceEntryId: string;
  role: "system" | "user" | "assistant" | "tool" | "custom";
  blocks: Array<{ type: string; [field: string]: unknown }>;
  createdAt?: number;
  provider?: string;
  model?: string;
  provenance: { source: "pi-session" | "runtime-session"; sessionId: string; entryId: string; originalRole?: string; runtimeId?: string };
  tokenEstimate?: number;
  flags: { pinned?: boolean; atomic?: boolean; localOnly?: boolean; synthetic?: boolean };
}

/** What a history subject is built over. */
export interface HistoryFixture {
  runtimeId: string;
  sessionId: string;
  /** The project root; it may lead through a symbolic link. */
  root: string;
  /** An empty directory for the subject's files. */
  dir: string;
  /** Undefined: none is selected. */
  model?: ModelDescriptor;
  messages: CanonicalMessage[];
  /** Ports of the suite, those that the check gives. A subject that uses them names the feature `ports`. */
  ports: {
    embedding?: EmbeddingPort;
    localKv?: LocalKvPort;
    /** To be given to the adapter without being enabled; nobody may call it. */
    idleLocalKv?: LocalKvPort;
  };
}

/** Turns texts into vectors. */
export interface EmbeddingPort {
  readonly identity: { provider: string; model: string; dimensions: number; destination: "local" | "remote" };
  /** One vector per text, each of the right length. It rejects if the port fails. */
  embed(texts: string[]): Promise<number[][]>;
}

/** What a local KV port is asked. */
export interface LocalKvRequest {
  /** What tells this prefix from every other one. */
  eligibility: Record<string, unknown>;
  provider: string;
  model: string;
  payload: unknown;
  prefixTokenCount: number;
  contextTokenCount: number;
}

/** Reuses what a local runtime holds of a prefix. Calls reject if the port fails. */
export interface LocalKvPort {
  tryReuse(request: LocalKvRequest): Promise<{ status: string; output?: unknown; savedPrefillTokens: number; prefillLatencyMs: number }>;
  fullReplay(request: LocalKvRequest): Promise<{ output: unknown; prefillTokens: number; prefillLatencyMs: number }>;
  shutdown?(): Promise<void>;
}

/** The only way to a provider. It rejects if the transport fails. */
export type CompletionTransport = (request: { provider: string; model: string; destination: "local" | "remote"; payload: unknown }) => Promise<unknown>;

/** An adapter of the history contract, `runtime-adapter-v1`. */
export interface HistoryAdapter {
  readonly identity: { runtimeId: string; adapterName: string; adapterVersion: string; contractVersion: "runtime-adapter-v1" };
  capabilityDeclarations(): Array<{ id: string; supported: boolean; version?: string; reason?: string }>;
  negotiateCapabilities(requested: Array<{ id: string; required?: boolean }>): unknown;
  snapshotHistory(): Promise<unknown>;
  rebuildDerivedState(): Promise<unknown>;
  currentModel(): Promise<ModelDescriptor | undefined>;
  trustedProjectRoot(): Promise<string>;
  enforcePrivacy(request: { provider: string; payload: unknown }): Promise<unknown>;
  complete(request: { provider: string; model: string; payload: unknown }): Promise<unknown>;
  diagnostics(): Array<{ code: string; severity: "info" | "warning" | "error"; message: string; capability?: string }>;
  shutdown(): Promise<void>;
  /** Present exactly if embeddings are supported. */
  readonly embeddingPort?: EmbeddingPort;
  /** Counters of the local KV port; the suite judges their shape. */
  localKvDiagnostics?(): unknown;
}

/** Builds history subjects. */
export interface HistoryFactory {
  name: string;
  /** What can be seen; absent: `source`. */
  features?: Feature[];
  create(fixture: HistoryFixture, transport: CompletionTransport): HistorySubject | Promise<HistorySubject>;
}

/** One history subject over one fixture. */
export interface HistorySubject {
  adapter: HistoryAdapter;
  expectedProjectRoot: string;
  /** The canonical file, if there is one that the suite may look at and damage. */
  historyFile?: string;
  /** Adds a message to the canonical history, as the runtime itself would. */
  append?(message: CanonicalMessage): void | Promise<void>;
  cleanup?(): void | Promise<void>;
}

// ------------------------------------------------------------------------ the program

/** The version of the subject protocol that the bridge speaks. */
export const PROTOCOL: "adaptercheck-subject-v1";

/** Serves one module over a line of one's own. */
export class Server {
  constructor(file: string, write: (line: string) => void);
  /** Rejects with what the module throws, or says why it is no subject. Without it, the answer to initialize does. */
  load(): Promise<void>;
  /** Resolves when the input has ended and what was open is closed. */
  serve(input: Input): Promise<void>;
}

/** The part of a Node stream that the server uses. */
export interface Input {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  once(event: "end" | "close" | "error", listener: () => void): unknown;
}
