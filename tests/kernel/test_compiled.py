"""The search is one file that runs compiled or as plain Python: both give the same results, and the build is new."""

import os
import shutil
import subprocess
from array import array
from collections.abc import Iterator
from importlib import reload
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from leftbower import kernel
from leftbower.errors import Uncompiled
from leftbower.kernel import is_compiled, search
from leftbower.kernel.encoding import card_words, empty_positions, pack_positions
from leftbower.rules import DECK, Suit, parse_cards
from proofs.exact import draw, legal, read

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "leftbower" / "kernel" / "search.py"
WHOLE = 300
"""Four-handed deals that the uncompiled search solves in half a second."""


@pytest.fixture(scope="module")
def compiled() -> None:
    """For tests of the compiled search; without a compiler they are skipped, but never in CI."""
    if not is_compiled():
        if os.environ.get("CI") == "true":
            pytest.fail("the kernel must be compiled in CI")
        pytest.skip("the kernel is not compiled")


@pytest.fixture(scope="module")
def plain(compiled: None) -> ModuleType:
    """The uncompiled search, under another module name."""
    spec = spec_from_file_location("plain_search", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not module.is_compiled()
    return module


def both(plain: ModuleType) -> Iterator[ModuleType]:
    yield from (search, plain)


@pytest.mark.parametrize("exact", [True, False])
def test_solving_is_the_same_compiled_or_not(plain: ModuleType, exact: bool) -> None:
    """Positions of every kind and size, and each of their cards."""
    for number in range(288):
        position = draw(number, seed=11)
        words, cards = pack_positions([position]), card_words(legal(position), position.trump)
        values, each = [], []
        for module in both(plain):
            values.append(array("b", [-1]))
            module.solve(words, values[-1], 0, 1, exact)
            each.append(array("b", [-1] * len(cards)))
            module.solve_cards(words, cards, position.to_act, each[-1], 0, 1, exact)
        assert values[0] == values[1]
        assert each[0] == each[1]
        assert min(*values[0], *each[0]) >= 0


@pytest.mark.parametrize("exact", [True, False])
def test_whole_hands_are_the_same_compiled_or_not(plain: ModuleType, exact: bool) -> None:
    """Random four-handed deals, where the search goes deepest."""
    words = empty_positions(WHOLE)
    search.deal(card_words(DECK, Suit.HEARTS), words, 0, WHOLE, 7)
    values = [array("b", [-1] * WHOLE) for _ in both(plain)]
    for module, tricks in zip(both(plain), values, strict=True):
        module.solve(words, tricks, 0, WHOLE, exact)
    assert values[0] == values[1]
    assert len(set(values[0])) > 2


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_random_deals_are_the_same_compiled_or_not(plain: ModuleType, seed: int) -> None:
    """Bit for bit, for any 64-bit seed, with and without nines."""
    for deck in (DECK, DECK[:20]):
        dealt = [empty_positions(50) for _ in both(plain)]
        for module, words in zip(both(plain), dealt, strict=True):
            module.deal(card_words(deck, Suit.CLUBS), words, 0, 50, seed)
        assert dealt[0] == dealt[1]
        assert len({*zip(*[iter(dealt[0])] * search.POSITION_WORDS, strict=True)}) == 50


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_playouts_are_the_same_compiled_or_not(plain: ModuleType, seed: int) -> None:
    """Bit for bit, for any 64-bit seed and positions of every kind and size."""
    rng = Random(seed)
    words = pack_positions([draw(rng.randrange(10**6), seed=12) for _ in range(60)])
    played = [array("b", [-1] * 300) for _ in both(plain)]
    for module, tricks in zip(both(plain), played, strict=True):
        module.playouts(words, tricks, 0, 60, 5, seed)
    assert played[0] == played[1]
    assert min(played[0]) >= 0


def filled(module: ModuleType, seed: int, tries: int = 500) -> "tuple[int, array[int]]":
    """A hand of hearts and the cards on the table, the rest sampled over three chairs and a pile: count and words."""
    known = pack_positions([read("h 0 1 | JhAh9s - - - | - - - -")])
    pool = card_words([card for card in DECK if card not in parse_cards("JhAh9s")][:13], Suit.HEARTS)
    sizes, allowed, owed = array("i", [0]) * 16, array("I", [0]) * 16, array("I", [0]) * 16
    for word, size in ((1, 3), (2, 3), (3, 4), (10, 3)):
        sizes[word], allowed[word] = size, 0xFFFFFFFF
    allowed[1], owed[3], owed[10] = 0x7F7F7F7F & ~pool[0], pool[4] | pool[5], pool[6]
    words = empty_positions(40)
    return module.sample(known, pool, sizes, allowed, owed, words, 0, 40, seed, tries), words


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_layouts_are_the_same_compiled_or_not(plain: ModuleType, seed: int) -> None:
    """Bit for bit, with enough tries and without; then after taking and discarding."""
    (compiled_count, words), (plainly_made, plainly) = (filled(module, seed) for module in both(plain))
    assert compiled_count == plainly_made == 40
    assert words == plainly
    incomplete = [filled(module, seed, tries=2) for module in both(plain)]
    assert incomplete[0] == incomplete[1]
    assert incomplete[0][0] < 40
    for module, layouts in zip(both(plain), (words, plainly), strict=True):
        module.take(layouts, 3, 10, card_words(parse_cards("Th"), Suit.HEARTS)[0])
        module.bury(layouts, 3, 15, 4)
        module.bury(layouts, 0, 14, 2)
    assert words == plainly
    assert any(words)


def test_weights_and_means_are_the_same_compiled_or_not(plain: ModuleType) -> None:
    """To the last bit: the same operations on the same numbers in the same order."""
    rng = Random(2)
    _, words = filled(search, 9)
    worth = array("d", [rng.gauss(0, 2) for _ in range(33)])
    tricks = array("b", [rng.randrange(6) for _ in range(3 * 40)])
    results = []
    for module in both(plain):
        weights, means = array("d", [1.0]) * 40, array("d", [0.0]) * 3
        module.weigh(words, 1, 10, 0x01000000, 0x00000101, worth, weights, 1.0)
        module.weigh(words, 3, 3, 0, 0, worth, weights, -1.0)
        module.averages(tricks, 3, weights, worth[:6], means)
        chosen, times = words[:], weights[:]
        distinct = module.choose(chosen, times, 25, 0.3)
        results.append((weights, means, distinct, chosen, times))
    assert results[0] == results[1]
    assert len(set(results[0][0])) > 20
    assert 1 < results[0][2] < 25


@pytest.mark.usefixtures("compiled")
def test_the_compiled_search_was_built_from_the_present_source() -> None:
    """An editable install keeps running the old module after its source changes; make rebuilds it."""
    assert Path(search.__file__).suffix != ".py"
    assert Path(search.__file__).stat().st_mtime >= SOURCE.stat().st_mtime, "search.py has changed; run make"


@pytest.mark.usefixtures("compiled")
def test_an_uncompiled_kernel_says_so_when_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """One warning with its own class, so that users can filter it; a compiled kernel doesn't warn."""
    reload(kernel)
    monkeypatch.setattr(search, "is_compiled", lambda: False)
    with pytest.warns(Uncompiled, match="right but slow") as warned:
        reload(kernel)
    monkeypatch.undo()
    reload(kernel)
    assert len(warned) == 1
    assert kernel.is_compiled()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("target", ["test", "play"])
def test_make_builds_the_kernel_again_when_its_source_changes(target: str, tmp_path: Path) -> None:
    """In a folder that is set up, make has nothing to do until the search or its build script is newer."""
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    sources = ["setup.py", "src/leftbower/kernel/search.py"]
    for name in [".venv/bin/uv", "pyproject.toml", "constraints.txt", *sources, f".venv/{target}.ready"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1, 1))

    def dry_run(*words: str) -> str:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        command = ["make", "--dry-run", "--no-print-directory", *words, f".venv/{target}.ready"]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=True).stdout

    assert "install" not in dry_run()
    for name in sources:
        assert "--reinstall-package leftbower -e" in dry_run("-W", name)
