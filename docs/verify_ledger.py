#!/usr/bin/env python3
"""Checks a ledger that `medialog audit prove` exported, without Medialog and without any package (Python 3.9 or later).

    python3 verify_ledger.py KEY ledger LEDGER.ndjson [KEPT]    KEPT: a checkpoint, or a LEDGER.ndjson, from before
    python3 verify_ledger.py KEY statement STATEMENT.json LEDGER.ndjson     that a statement is what the ledger says

KEY is the public key that you were given, `name+id+key`, or a file that holds it. Exit code 0: all is proven.
verify-checkpoint.mjs does the same, and more. What is hashed, and how, is in reference/log-format.md.
"""

import base64
import hashlib
import json
import os
import re
import sys
from datetime import datetime, timezone


class NotProven(Exception):
    pass


def fail(why):
    raise NotProven(why)


def sha256(*parts):
    return hashlib.sha256(b"".join(part.encode() if isinstance(part, str) else part for part in parts)).digest()


# Ed25519 (RFC 8032, 5.1), only as far as verifying takes it: nothing secret is computed, so nothing has to take the same time.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def x_of(y, sign):
    """The x of a point from its y (5.1.3), or None."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def point_of(encoded):
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def added(a, b):
    """Extended coordinates (5.1.4)."""
    first = (a[1] - a[0]) * (b[1] - b[0]) % P
    second = (a[1] + a[0]) * (b[1] + b[0]) % P
    third = 2 * a[3] * b[3] * D % P
    fourth = 2 * a[2] * b[2] % P
    e, f, g, h = second - first, fourth - third, fourth + third, second + first
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = added(result, point)
        point = added(point, point)
        scalar >>= 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = x_of(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def is_signed(public, message, signature):
    point, commitment = point_of(public), point_of(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or point is None or commitment is None or scalar >= ORDER:
        return False
    hashed = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = times(scalar, BASE), added(commitment, times(hashed, point))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# Signed notes and checkpoints (C2SP).


def opened(note, key):
    """The text of a signed note, once its signature is good."""
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", key) or fail("the key is no verifier key")
    name, key_id, encoded = found.groups()
    typed = base64.b64decode(encoded)
    own = sha256(f"{name}\n", typed)[:4]
    if len(typed) != 33 or typed[0] != 1 or own.hex() != key_id:
        fail("the key is not a good one")
    text, empty, signatures = note.rpartition("\n\n")
    for line in signatures.split("\n") if empty else []:
        parts = line.split(" ")
        if len(parts) != 3 or parts[:2] != ["—", name]:
            continue
        signed = base64.b64decode(parts[2])
        if signed[:4] == own and is_signed(typed[1:], f"{text}\n".encode(), signed[4:]):
            return f"{text}\n"
    return fail("the signature is not of this key, or what it signed was changed")


def checkpoint(note, key):
    origin, size, root = opened(note, key).split("\n")[:3]
    return origin, int(size), base64.b64decode(root)


# Merkle trees (RFC 9162).


def node_of(left, right):
    return sha256(b"\1", left, right)


def root_of_inclusion(index, size, leaf, hashes):
    """2.1.3.2."""
    if index >= size:
        fail("the event lies behind the checkpoint")
    first, last, root = index, size - 1, leaf
    for step in hashes:
        if last == 0:
            fail("the proof is too long")
        if first % 2 == 1 or first == last:
            root = node_of(step, root)
            while first % 2 == 0 and first != 0:
                first, last = first >> 1, last >> 1
        else:
            root = node_of(root, step)
        first, last = first >> 1, last >> 1
    return root if last == 0 else fail("the proof is too short")


def roots_of_consistency(old, new, old_root, proof):
    """2.1.4.2: the roots of both trees, as the proof has them."""
    if old == new:
        return (old_root, old_root) if not proof else fail("the proof is too long")
    hashes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not hashes:
        fail("the proof is too short")
    first, last = old - 1, new - 1
    while first % 2 == 1:
        first, last = first >> 1, last >> 1
    earlier = later = hashes[0]
    for step in hashes[1:]:
        if last == 0:
            fail("the proof is too long")
        if first % 2 == 1 or first == last:
            earlier, later = node_of(step, earlier), node_of(step, later)
            while first % 2 == 0 and first != 0:
                first, last = first >> 1, last >> 1
        else:
            later = node_of(later, step)
        first, last = first >> 1, last >> 1
    return (earlier, later) if last == 0 else fail("the proof is too short")


# Events and their chain.


def number(value):
    """As ECMAScript prints it: the fewest digits that are read as the same double."""
    if isinstance(value, int) and abs(value) <= 2**53:
        return str(value)
    mantissa, _, exponent = repr(abs(float(value))).partition("e")
    whole, _, part = mantissa.partition(".")
    leading = (whole + part).lstrip("0")
    digits = leading.rstrip("0")
    if not digits:
        return "0"
    # The value is 0.digits times ten to this.
    point = int(exponent or 0) + len(leading) - len(part)
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    more = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{more}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value):
    """RFC 8785; half a surrogate pair as its escape."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"


HEADER = ("id", "metadata", "revision", "stream", "type", "version")


def hashed(event):
    """The event with its own digest and hash, made of all that it says."""
    try:
        digest = sha256(event["salt"], canonical(event["data"])).hex()
        header = canonical({name: event[name] for name in HEADER})
        shown = {name: event[name] for name in (*HEADER, "data", "salt", "prev")}
        return {**shown, "digest": digest, "hash": sha256(event["prev"], header, digest).hex()}
    except (KeyError, TypeError) as error:
        return fail(f"an event is no event: {error}")


def ledger_in(text):
    lines = [json.loads(line) for line in text.split("\n") if line]
    ledger = lines[0].get("ledger") if lines else None
    if not ledger or ledger.get("format") != "medialog ledger proof 1":
        fail("it is no proof of a ledger")
    if any(list(line) != ["event"] for line in lines[1:]):
        fail("a line holds no event")
    return ledger, [line["event"] for line in lines[1:]]


def chain(ledger, events, key):
    """The checkpoint, once each event follows the one before it and the last one is under it."""
    stream, head = ledger["stream"], ledger["head"]
    if ledger["key"] != key:
        fail("it names another key")
    if stream != f"ledger-{ledger['account_id']}" or head["leaf"]["stream"] != stream:
        fail("it is the ledger of another account")
    if len(events) != ledger["events"]:
        fail(f"it has {len(events)} events, and says {ledger['events']}")
    before = sha256(stream).hex()
    for revision, event in enumerate(events):
        if event.get("stream") != stream or event.get("revision") != revision:
            fail(f"revision {revision}: it is another event")
        own = hashed(event)
        for name, value in event.items():
            if canonical(own.get(name)) != canonical(value) or name not in own:
                fail(f"revision {revision}: {name} is not what was recorded")
        if event.get("hash") != own["hash"]:
            fail(f"revision {revision}: its hash is not shown")
        if event["prev"] != before:
            fail(f"revision {revision}: it does not follow the event before it")
        before = own["hash"]
    leaf = head["leaf"]
    if leaf["hash"] != before or leaf["revision"] != len(events) - 1:
        fail("its last event is not the one that is proven")
    origin, size, root = checkpoint(ledger["checkpoint"], key)
    text = canonical({name: leaf[name] for name in ("hash", "position", "revision", "stream")})
    path = [base64.b64decode(step) for step in head["hashes"]]
    if root_of_inclusion(head["index"], size, sha256(b"\0", text), path) != root:
        fail("its last event is not under the checkpoint")
    return origin, size, root


def continued(kept, ledger, events, now, key):
    """That nothing was taken back since: what was kept is the beginning of what is there now."""
    before, note = [], kept
    if kept.startswith("{"):
        earlier, before = ledger_in(kept)
        chain(earlier, before, key)
        note = earlier["checkpoint"]
    origin, size, root = checkpoint(note, key)
    if origin != now[0]:
        fail("what was kept is of another log")
    if size > now[1]:
        fail("the checkpoint is older than the one that was kept")
    proof = ledger["consistency"] or {"from": now[1], "hashes": []}
    if proof["from"] != size:
        fail(f"ask for it with since={size}: it is not proven to continue what was kept")
    hashes = [base64.b64decode(step) for step in proof["hashes"]]
    if roots_of_consistency(size, now[1], root, hashes) != (root, now[2]):
        fail("it does not continue what was kept")
    if [event["hash"] for event in before] != [event["hash"] for event in events[: len(before)]]:
        fail("the ledger does not begin with the one that was kept")


# The bookkeeping.

DAY = 24 * 3_600_000
NANO = 1_000_000_000


def usd(nano):
    whole, part = divmod(abs(nano), NANO)
    return f"{'-' if nano < 0 else ''}{whole}" + (f".{part:09}".rstrip("0") if part else "")


def iso(milliseconds):
    at = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def replayed(events):
    """The postings of a ledger, with the balance after each, and what they come to."""
    postings, totals = [], {"credited": 0, "charged": 0, "refunded": 0}
    # By charge: what is left of each price, and the refunds that it had.
    open_charges = {}
    balance = 0
    for event in events:
        kind, data, revision = event["type"], event["data"], event["revision"]
        amount = int(data.get("amount", 0))
        lines = [(line["price"], int(line["amount"])) for line in data.get("lines", [])]

        def wrong(why):
            fail(f"revision {revision}: {why}")

        def post(what, posting_id, change, **more):
            at = data["at"]
            shown = {"revision": revision, "at": at, "kind": what, "id": posting_id, **more}
            postings.append({**shown, "amount": usd(change), "balance": usd(balance + change)})
            return balance + change

        if "lines" in data and sum(part for _, part in lines) != amount:
            wrong("its lines do not add up to it")
        if kind == "BalanceCredited":
            totals["credited"] += amount
            balance = post("credit", data["creditId"], amount)
        elif kind == "BalanceCharged":
            totals["charged"] += amount
            if data["chargeId"] in open_charges:
                wrong("a charge with its id is open")
            open_charges[data["chargeId"]] = (dict(lines), set())
            balance = post("charge", data["chargeId"], -amount)
            if balance < 0:
                wrong("it takes the balance below zero")
        elif kind == "BalanceRefunded":
            if data["chargeId"] not in open_charges:
                wrong("its charge is not open")
            rest, refunds = open_charges[data["chargeId"]]
            if data["refundId"] in refunds:
                wrong("it was refunded before")
            refunds.add(data["refundId"])
            for price, part in lines:
                rest[price] = rest.get(price, 0) - part
                if rest[price] < 0 or part < 0:
                    wrong("it pays back more than is left")
            if not any(rest.values()):
                del open_charges[data["chargeId"]]
            totals["refunded"] += amount
            balance = post("refund", data["refundId"], amount, charge_id=data["chargeId"])
        elif kind == "ChargeSettled":
            if open_charges.pop(data["chargeId"], None) is None:
                wrong("it settles a charge that is not open")
        elif kind == "BooksClosed":
            for name, total in totals.items():
                if int(data["totals"][name]) != total:
                    wrong(f"{name} is not what was carried over")
            if int(data["balance"]) != balance:
                wrong("the balance is not what was carried over")
        elif kind == "LedgerClosed":
            if int(data["balance"]) != balance:
                wrong("it closes with another balance")
        else:
            wrong(f"{kind} is no event of a ledger")
    set_times(postings)
    return postings, totals, balance


def set_times(postings):
    """When postings count: never before the one in front of them; a clock that was ahead is corrected."""
    last, leap = 0, None
    for index, posting in enumerate(postings):
        at = posting["at"]
        if leap and at < leap["at"] - DAY:
            last, since, leap = max(leap["before"], at), leap["index"], None
            for early in postings[since:index]:
                early["at"] = last
        else:
            now = max(last, at)
            if now - last > DAY:
                leap = {"before": last, "at": now, "index": index}
            elif leap and (now - leap["at"] > DAY or index - leap["index"] >= 255):
                leap = None
            last = now
        posting["at"] = last


def check_ledger(key, text, kept=None):
    ledger, events = ledger_in(text)
    now = chain(ledger, events, key)
    if kept is not None:
        continued(kept, ledger, events, now, key)
    postings, totals, balance = replayed(events)
    last = iso(postings[-1]["at"]) if postings else "no time"
    print(f"{ledger['account_id']}: {len(postings)} postings in {len(events)} events, the last at {last}")
    for name, amount in totals.items():
        print(f"{name} {usd(amount)} USD")
    kept_too = "" if kept is None else ", which continues what was kept"
    return f"a balance of {usd(balance)} USD, under a checkpoint of {now[1]} events of {now[0]}{kept_too}"


def check_statement(key, text, ledger_text):
    """That a statement says no more, no less and nothing else than the ledger does of its month."""
    ledger, events = ledger_in(ledger_text)
    chain(ledger, events, key)
    said = json.loads(text)
    said = said.get("data", said)
    if said["account_id"] != ledger["account_id"]:
        fail("the ledger is of another account")
    if said["from"] != f"{said['month']}-01T00:00:00.000Z":
        fail("it does not begin with its month")
    postings = replayed(events)[0]
    reference = said.get("ledger")
    if reference:
        last = reference["revision"]
        if reference["stream"] != ledger["stream"] or last >= len(events) or events[last]["hash"] != reference["hash"]:
            fail("its reference is of another event")
        if reference["checkpoint"]:
            checkpoint(reference["checkpoint"], key)
    # Both have the same form, in which later is greater.
    own = [posting for posting in postings if said["from"] <= iso(posting["at"]) < said["until"]]
    if len(said["postings"]) != len(own):
        fail(f"it has {len(said['postings'])} postings, the ledger has {len(own)}")
    sums = dict.fromkeys(("credit", "charge", "refund"), 0)
    for posting, shown in zip(own, said["postings"]):
        data = events[posting["revision"]]["data"]
        lines = [{"price": line["price"], "amount": usd(int(line["amount"]))} for line in data.get("lines", [])]
        sums[posting["kind"]] += int(data["amount"])
        due = {**posting, "at": iso(posting["at"]), "lines": lines}
        if {name: value for name, value in shown.items() if name != "cause"} != due:
            fail(f"revision {posting['revision']}: the posting is another one")
    before = [posting["balance"] for posting in postings if iso(posting["at"]) < said["from"]]
    opening = before[-1] if before else "0"
    closing = own[-1]["balance"] if own else opening
    due = {"opening_balance": opening, "closing_balance": closing}
    for name, kind in (("credited", "credit"), ("charged", "charge"), ("refunded", "refund")):
        due[name] = usd(sums[kind])
    for name, amount in due.items():
        if said[name] != amount:
            fail(f"{name} is {amount}, not {said[name]}")
    return f"{len(own)} postings of {said['month']}, closing with {closing} USD"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(arguments):
    work = {"ledger": check_ledger, "statement": check_statement}
    if len(arguments) < 3 or arguments[1] not in work:
        print("usage: verify_ledger.py KEY ledger|statement FILE…", file=sys.stderr)
        return 2
    given, what, *files = arguments
    key = (read(given) if os.path.exists(given) else given).strip()
    try:
        print(f"proven: {work[what](key, *map(read, files))}")
        return 0
    except NotProven as error:
        print(f"NOT PROVEN: {error}", file=sys.stderr)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        print(f"NOT PROVEN: the file is not as it has to be: {error!r}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
