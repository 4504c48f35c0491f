// Text that looks like a credential.

const WORD_START = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))`;
const PEM_LABEL = String.raw`(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`;
const NAME = String.raw`(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password|passwd|passphrase)`;
const NEW = String.raw`(?!\[redacted-)`; // not what stands here for a secret already

// Each pattern keeps its group "head".
const PATTERNS = [
  ["private-key", new RegExp(`-----BEGIN ${PEM_LABEL}[\\s\\S]*?(?:-----END ${PEM_LABEL}|$)`, "g")],
  ["credential", new RegExp(`${WORD_START}(?:sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{12,}|github_pat_\\w{16,}|A[KS]IA[A-Z0-9]{16}(?!\\w)|xox[a-z]-[\\w-]{10,}|AIza[\\w-]{30,})`, "g")],
  ["token", new RegExp(`(?<head>${WORD_START}bearer\\s+)[A-Za-z0-9._~+/=-]{8,}`, "gi")],
  ["secret", new RegExp(`(?<head>${NAME}\\\\*["'\`]?\\s*[:=]\\s*\\\\*["'\`]?)${NEW}[^\\s,"'\`;}\\]\\\\]{4,}`, "gi")],
];

/** Replaces the secrets of a text and counts them. */
export function redact(text) {
  let count = 0;
  // A replacement can uncover another secret, since it ends a word.
  for (let round = 0; round < 3; round++) {
    const before = count;
    for (const [kind, pattern] of PATTERNS) {
      text = text.replace(pattern, (...m) => {
        count++;
        return `${m.at(-1)?.head ?? ""}[redacted-${kind}]`;
      });
    }
    if (count === before) return { text, count };
  }
  return { text: "[redacted-text]", count };
}

const SECRET_NAME = new RegExp(`${NAME}$`, "i");

/** Replaces a text that is the value of a field named like a secret; undefined if it is none. */
export function assignedTo(key, text) {
  if (!SECRET_NAME.test(key) || !/^\S{4,}$/.test(text) || /^\[redacted-[a-z-]+\]$/.test(text)) return undefined;
  return { text: "[redacted-secret]", count: 1 };
}
