"""Which receipts are kept, and what their number tells (C-5, docs/adr/0007)."""

from __future__ import annotations

from chalicelib.kernel.receipts import KEPT, Request, added, known, padded


def request(key: str) -> Request:
    return Request("somebody", 0, key, b"{}")


def of(*asked: str, quiet: str = "") -> tuple[str, ...]:
    """The receipts after these requests, of which some are quiet."""
    kept: tuple[str, ...] = ()
    for key in asked:
        kept = added(kept, request(key), quiet=key in quiet)
    return kept


def knows(kept: tuple[str, ...], keys: str) -> str:
    return "".join(key for key in keys if known(kept, request(key)))


def test_the_last_three_are_kept() -> None:
    assert knows(of(*"abcde"), "abcde") == "cde"


def test_quiet_ones_do_not_push_out_the_last_that_was_not() -> None:
    assert knows(of(*"abcdef", quiet="def"), "abcdef") == "cef"
    assert knows(of(*"abcdefg", quiet="def"), "abcdefg") == "cfg"


def test_everybody_has_as_many_whoever_has_answered() -> None:
    chance = bytes(32)
    for asked in ("", "a", "ab", "abc"):
        kept = padded(of(*asked), chance)
        assert len(kept) == len(set(kept)) == KEPT
        assert {len(line) for line in kept} == {len(of("a")[0])}
        assert knows(kept, "abc") == asked
    assert knows(added(padded(of("a"), chance), request("q"), quiet=True), "aq") == "aq"
