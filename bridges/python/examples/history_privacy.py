"""The privacy policy of history_ok.py: what of a payload may be sent to a provider.

Everything works on a plain copy of the payload. What is not plain data is refused: nothing is sent that cannot be searched.
"""

from __future__ import annotations

import dataclasses
import math
import re

CLASSES = ["normal", "internal", "sensitive", "local-only"]  # from free to bound
LOCAL_PROVIDERS = {"ollama", "llama-cpp", "lmstudio"}
REMOTE_ALLOWED = {"normal", "internal"}
MAX_DEPTH = 200

# Keys under which a provider's request carries identifiers, and such under which it carries content.
STRUCTURAL = set("api id model name role stopreason stop_reason toolcallid tool_call_id type".split())
CONTENT = set(
    "arguments content contents context description input instructions messages metadata parts prompt requestmetadata "
    "system system_instruction systeminstruction systemprompt text thinking toolconfig tools".split()
)


class PayloadError(ValueError):
    """The payload cannot be searched. It says nothing about the content."""


@dataclasses.dataclass
class Screened:
    """What may be sent, and what was done to it."""

    destination: str
    payload: object = None
    changed: bool = False
    blocked: int = 0
    secrets: int = 0


def screen(provider, payload):
    """Apply the policy. Raises PayloadError if nothing may be sent."""
    local = provider.strip().lower() in LOCAL_PROVIDERS
    pass_ = _Pass(Screened("local" if local else "remote"))
    plain = _copy(payload, 0)
    pass_.base = _floor(plain)
    pass_.result.payload = pass_.value(plain, "envelope" if isinstance(plain, dict) else "content", "")
    return pass_.result


def _copy(value, depth):
    """Copy plain data. Only exact types pass: any other could give something else when it is sent than when it is searched."""
    kind = type(value)
    if value is None or kind in (bool, int):
        return value
    if kind is float and math.isfinite(value):
        return value
    if kind is str:
        return _checked(value)
    if depth < MAX_DEPTH and kind is list:
        return [_copy(item, depth + 1) for item in value]
    if depth < MAX_DEPTH and kind is dict:
        return {_checked(key): _copy(item, depth + 1) for key, item in value.items()}
    raise PayloadError("the payload is not plain data")


def _checked(text):
    if type(text) is not str:
        raise PayloadError("a key is no text")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PayloadError("a text is no Unicode") from None
    return text


# Markers.

_BEGINS_LIKE_ONE = re.compile(r"(?<!\\)\[/?d[sS\u017f]4:", re.IGNORECASE)
_MARKER = re.compile(r"\[(/?)ds4:(normal|internal|sensitive|local-only)\]", re.IGNORECASE | re.ASCII)


@dataclasses.dataclass
class _Token:
    start: int
    end: int
    closes: bool
    cls: int  # index into CLASSES
    broken: bool = False


def _tokens(text):
    """The markers of a text. What begins like one and is none was meant to bind the text: it counts as local-only."""
    found = []
    for begin in _BEGINS_LIKE_ONE.finditer(text):
        marker = _MARKER.match(text, begin.start())
        if marker:
            found.append(_Token(marker.start(), marker.end(), marker[1] == "/", CLASSES.index(marker[2].lower())))
        else:
            found.append(_Token(begin.start(), begin.end(), False, len(CLASSES) - 1, broken=True))
    return found


def _without(text, tokens):
    out, at = [], 0
    for token in tokens:
        if not token.broken:
            out.append(text[at : token.start])
            at = token.end
    return "".join(out) + text[at:]


def _paired(text, tokens):
    """Report whether every marker is closed by its own class, and none is left once the tags are gone."""
    stack = []
    for token in tokens:
        if token.broken:
            return False
        if not token.closes:
            stack.append(token.cls)
        elif not stack or stack.pop() != token.cls:
            return False
    return not stack and not _tokens(_without(text, tokens))


def _floor(value):
    """The class of a payload as a whole: the highest of its markers if they do not pair up in some text, else normal."""
    highest, paired = 0, True
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, str) and (tokens := _tokens(item)):
            highest = max([highest, *(token.cls for token in tokens)])
            paired = paired and _paired(item, tokens)
    return 0 if paired else highest


# Secrets.

_BEGIN = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))"
_KEPT = r"(?!\[DS4 )"  # what stands in for a secret is none
_NAMES = r"(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password|passwd|passphrase)"
_PEM = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?"
_QUOTE = r"(?:\\*[\"'])?"
_PATTERNS = [
    (re.compile(f"-----BEGIN {_PEM}-----.*?(?:-----END {_PEM}-----|\\Z)", re.S), "PRIVATE KEY"),
    (re.compile(_BEGIN + r"(?:sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{12,}|github_pat_\w{16,})"), "CREDENTIAL"),
    (re.compile(_BEGIN + r"xox[a-z]-[A-Za-z0-9-]{10,}"), "CREDENTIAL"),
    (re.compile(_BEGIN + r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9_])"), "CREDENTIAL"),
    (re.compile(_BEGIN + r"eyJ[\w-]{8,}\.eyJ[\w-]+\.[\w-]*"), "CREDENTIAL"),
    (re.compile(r"(?P<head>://[^\s:/@]+:)[^\s:/@]{4,}(?=@)"), "SECRET"),
    (re.compile(r"(?P<head>\bbearer\s+)" + _KEPT + r"[A-Za-z0-9._~+/=-]{8,}", re.I), "TOKEN"),
    (re.compile(r"(?P<head>" + _NAMES + _QUOTE + r"\s*:?[:=]\s*" + _QUOTE + ")" + _KEPT + r"[^\s,\"';}\]\\]{4,}", re.I), "SECRET"),
]  # fmt: skip
_NAMED = re.compile(_NAMES + r"\Z", re.I)


def _redacted(text, key):
    """Take secrets out of a text, and count them. A text that is the value of a field named like a secret is one."""
    if _NAMED.search(key) and len(text) >= 4 and not text.startswith("[DS4 "):
        return "[DS4 REDACTED SECRET]", 1
    count = 0
    for pattern, name in _PATTERNS:
        head = r"\g<head>" if "head" in pattern.groupindex else ""
        text, n = pattern.subn(f"{head}[DS4 REDACTED {name}]", text)
        count += n
    return text, count


class _Pass:
    """One walk over a payload."""

    def __init__(self, result):
        self.result = result
        self.base = 0
        self.remote = result.destination == "remote"

    def value(self, value, place, key):
        """A value at a place: the envelope is the payload's own object, a parameter what it holds beside content."""
        if isinstance(value, str):
            fixed = place == "parameter" or (key.lower() in STRUCTURAL and not re.search(r"\s", value))
            return self.text(value, fixed, key)
        if isinstance(value, list):
            return [self.value(item, place, key) for item in value]
        if not isinstance(value, dict):
            return value
        out = {}
        for name, item in value.items():
            known = name.lower() in STRUCTURAL | CONTENT
            below = "parameter" if place == "envelope" and name.lower() not in CONTENT else "content"
            to = self.text(name, place == "envelope" or known, "")
            while to in out:
                to += "_"
            out[to] = self.value(item, below, name)
        return out

    def text(self, text, fixed, key):
        out = text
        tokens = _tokens(text)
        if tokens or not fixed:
            out = self.classified(text, tokens)
        if self.remote:
            out, count = _redacted(out, key)
            self.result.secrets += count
        self.result.changed = self.result.changed or out != text
        return out

    def classified(self, text, tokens):
        if not tokens:
            return self.segment(text, self.base)
        if not _paired(text, tokens):
            return self.segment(_without(text, tokens), max([self.base, *(token.cls for token in tokens)]))
        out, at, depth, cls, span = [], 0, 0, self.base, ""
        for token in tokens:
            piece, at = text[at : token.start], token.end
            if depth == 0:
                out.append(self.segment(piece, self.base))
                cls, span = self.base, ""
            else:
                span += piece
            cls = max(cls, token.cls)
            depth += -1 if token.closes else 1
            if depth == 0:
                out.append(self.segment(span, cls))
        return "".join(out) + self.segment(text[at:], self.base)

    def segment(self, text, cls):
        if not text or not self.remote or CLASSES[cls] in REMOTE_ALLOWED:
            return text
        self.result.blocked += 1
        return f"[DS4 {CLASSES[cls]} content excluded by privacy policy]"
