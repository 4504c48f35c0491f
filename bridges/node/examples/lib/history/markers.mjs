// [ds4:CLASS] opens a span, [/ds4:CLASS] closes it. A backslash before the bracket makes
// it plain text.

const RANK = { normal: 0, internal: 1, sensitive: 2, "local-only": 3 };
const MARKER = /(?<!\\)\[(\/?)ds4:(normal|internal|sensitive|local-only)\]/gi;
// Begins like a marker, in any letters that look like it.
const LIKE_MARKER = /(?<!\\)\[\/?d[s\u017F]4:/giu;

/** The markers of a text, and whether they are not in order. */
export function markersOf(text) {
  if (!text.includes("[")) return { markers: [], broken: false };
  const markers = [...text.matchAll(MARKER)].map((m) => ({ start: m.index, end: m.index + m[0].length, closes: m[1] === "/", cls: m[2].toLowerCase() }));
  const alike = text.match(LIKE_MARKER)?.length ?? 0;
  const open = [];
  let broken = alike !== markers.length;
  for (const m of markers) {
    if (!m.closes) open.push(m.cls);
    else if (open.pop() !== m.cls) broken = true;
  }
  return { markers, broken: broken || open.length > 0 };
}

/** Takes the tags out. What was in a span is what span makes of it and its class, which is the highest of those inside. */
export function withoutTags(text, markers, span) {
  let [out, body, at, depth, cls] = ["", "", 0, 0, "normal"];
  for (const m of markers) {
    const piece = text.slice(at, m.start);
    at = m.end;
    if (depth === 0) out += piece;
    else body += piece;
    if (m.closes) {
      if (--depth > 0) continue;
      out += span(body, cls);
      [body, cls] = ["", "normal"];
    } else {
      depth++;
      if (RANK[m.cls] > RANK[cls]) cls = m.cls;
    }
  }
  return out + text.slice(at);
}
