// What a runtime can do, and what was asked of it.

export const CONTRACT = "runtime-adapter-v1";
const CAPABILITIES = ["compaction", "provider-continuation", "embeddings", "local-kv-reuse"];
const REASON_MAX = 240; // UTF-16 code units

const version = (v) => (typeof v === "string" && /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(v.trim()) ? v.trim() : undefined);
const reason = (r) => (typeof r === "string" ? r.replace(/\s+/g, " ").trim().slice(0, REASON_MAX) : "") || undefined;

/** Answers a request. Each declaration is weighed alone, and nothing is fatal. */
export function negotiate(declarations, requested) {
  const statuses = CAPABILITIES.map((id) => {
    const asked = requested.filter((r) => r?.id === id);
    const required = asked.some((r) => r.required === true);
    const { supported, code, ...rest } = weigh(declarations.filter((d) => d?.id === id));
    return { code, status: { id, supported, requested: asked.length > 0, required, enabled: asked.length > 0 && supported, ...rest } };
  });
  const ids = (test) => statuses.filter(({ status }) => test(status)).map(({ status }) => status.id);
  return {
    contractVersion: CONTRACT,
    statuses: statuses.map(({ status }) => status),
    enabled: ids((s) => s.enabled),
    disabled: ids((s) => s.requested && !s.enabled),
    diagnostics: statuses
      .filter(({ status }) => status.requested && !status.supported)
      .map(({ code, status: { id, required, reason } }) => ({
        code,
        severity: required ? "warning" : "info",
        message: `${required ? "Required" : "Optional"} capability ${id} is not available: ${reason}`,
        capability: id,
      })),
  };
}

// weigh is the contract's table of negotiation, line by line.
function weigh([d, ...more]) {
  const withVersion = (out) => (version(d?.version) ? { ...out, version: version(d.version) } : out);
  const invalid = (why) => withVersion({ supported: false, code: "capability-declaration-invalid", reason: why });
  const unsupported = (why) => withVersion({ supported: false, code: "capability-unsupported", reason: why });
  if (more.length > 0) return invalid("declared more than once");
  if (d === undefined) return unsupported("not declared");
  if (d.supported === true) {
    if (!version(d.version)) return invalid("missing or invalid version");
    return withVersion({ supported: true, ...(reason(d.reason) ? { reason: reason(d.reason) } : {}) });
  }
  if (d.supported === false) return reason(d.reason) ? unsupported(reason(d.reason)) : invalid("missing reason");
  return unsupported(reason(d.reason) ?? "not declared");
}
