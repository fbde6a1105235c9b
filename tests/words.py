"""Checks of the words that a visitor reads for plain English: ``python -m tests.words [PATH or PAGE ...]``.

Of a file, its string literals with a space in them, whichever branch says them; of a page (a name like ``50_angular.py``), what
it says when it is opened, sentences put together, and the terms of the field that it explains nowhere at their first use.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Caption, Info, Markdown, Subheader

from tests.shown import PAGES, opened

ROOT = PAGES.parent
FOLDERS = ("dml_viz", "pages", "assets/src")  # folders whose literals are checked
NAMES = tuple(sorted(path.name for path in PAGES.glob("[0-9]*_*.py")))
LONGEST = 30  # words in a sentence
# Words banned on the screen, and their replacements.
BANNED = {
    r"stars?": "proxies",
    r"strangers?": "other classes, negatives",
    r"parts|parted|to part": "separates",
    r"meets?|met": "the verb for what happens",
    r"nobody": "no one, or the passive",
    r"(?:is|are|was|were) to(?! scale)": "should, must, or the verb itself",
    r"dear(?:er|est)": "hardest, most costly",
    r"(?:the|in your|weaker|stronger) hand": "the scene, dragged",
    r"stand(?:s|ing)?(?![- ]alone)|stood": "is, has, lies",
    r"told": "says, shown",
    r"circulates": "common claims",
    r"let(?:s|ting)? go": "stops pushing",
    r"h[au]ngs? on": "depends on",
    r"asks? of": "what is wanted, in plain words",
    r"as an? [\w’'-]+(?: [\w’'-]+)? would": "what it does",
    r"the notes": "what they are: notes in circulation, libraries, papers",
}
PATTERNS = {re.compile(rf"(?<![\w-])(?:{words})(?!\w)", re.IGNORECASE): say for words, say in BANNED.items()}
# Literals that name links and icons.
NAMED = ("all strangers", "\nstar key bell")
# Abbreviations whose full stop ends no sentence.
ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|al|cf|vs|no|Eq|Sec)\.")
# Terms of the field, which a page explains on hover where it first uses them: a word of a sentence, and its entry.
FIELD = {
    r"embeddings?": "embedding",
    r"loss(?:es)?": "loss",
    r"gradients?": "gradient",
    r"batch(?:es)?": "batch",
    r"pairs?": "pair",
    r"triplets?": "triplet",
    r"tuples?": "tuple",
    r"anchors?": "anchor",
    r"positives?": "positive",
    r"negatives?": "negative",
    r"quer(?:y|ies)": "query",
    r"rank(?:ings?|ed)": "ranking",
    r"prox(?:y|ies)": "proxy",
    r"samples?": "sample",
    r"margins?": "margin",
    r"active": "active",
    r"hardest|hard (?:negative|positive)s?": "hard negative",
    r"semi-hard": "semi-hard",
    r"min(?:ing|ed|es)": "mining",
    r"hinges?": "hinge",
    r"logistic": "logistic",
    r"softmax": "softmax",
    r"logits?": "logit",
    r"temperature": "temperature",
    r"similarit(?:y|ies)": "similarity",
    r"cosines?": "cosine",
    r"(?:hyper)?spheres?": "sphere",
    r"unit vectors?": "unit vector",
    r"tangent": "tangent",
    r"ambient": "ambient",
    r"histograms?": "histogram",
    r"soft (?:bin|histogram)s?": "soft bin",
    r"AP|average precision": "AP",
    r"precision": "precision",
    r"recalls?|R@k": "R@k",
    r"R@1": "R@1",
    r"mAP": "mAP",
    r"MAP@R": "MAP@R",
    r"held out": "held out",
    r"unseen|never saw": "unseen",
    r"raw pixels?|pixel by pixel": "raw pixels",
    r"PCA|principal components?": "PCA",
    r"variance": "variance",
    r"collaps(?:e|es|ed)": "collapse",
    r"seeds?": "seed",
    r"learning rates?": "learning rate",
    r"regularisers?": "regulariser",
    r"kinks?": "kink",
    r"autograd": "autograd",
}
TERMS = {
    re.compile(rf"(?<![\w@-])(?:{words})(?![\w@-])", re.IGNORECASE if words.islower() else 0): term
    for words, term in FIELD.items()
}
LABEL = re.compile(r"\*\*(?:Look for|How th\w+ pictures? misleads?:?)\*\*")
SOURCE = re.compile(r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""", re.DOTALL)


def complaints(text: str) -> list[str]:
    """The faults of a text in Markdown: banned words, and sentences that are too long."""
    if text.startswith(NAMED):
        return []
    plain = _plain(text)
    found = [
        f"“{word[0]}” (say {say}): …{plain[max(word.start() - 40, 0) : word.end() + 30]}…".replace("\n", " ")
        for pattern, say in PATTERNS.items()
        for word in pattern.finditer(plain)
    ]
    for sentence in sentences(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONGEST:
            found.append(f"{len(words)} words: {sentence}")
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a text in Markdown; a formula is one word, and a line, a bullet and a cell end a sentence."""
    ended = re.sub(r"([.!?][”\")]*)\s+(?=[\W_]*[A-Z0-9α-ω])", r"\1\n", ABBREVIATED.sub(lambda m: m[0][:-1], _plain(text)))
    return [line.strip() for line in ended.splitlines() if line.strip()]


def _plain(text: str) -> str:
    text = re.sub(r"<[^<>]*>", "\n", text) if "</" in text else text
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]+`", " formula ", LABEL.sub("\n", text), flags=re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*_|]+(?=\s|$)|(?:^|(?<=[\s(“]))[*_|]+|\|", lambda m: "\n" if "|" in m[0] else "", text)


def of_file(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of every literal with words in a Python file or script."""
    source = path.read_text(encoding="utf-8")
    texts = _of_python(ast.parse(source), path) if path.suffix == ".py" else _of_script(source)
    for line, text in texts:
        if re.search(r"[A-Za-z’]{2,} \S|\S [a-z’]{2,}", text) and not re.search(r"<style|[{;]\s*[\w-]+:[^;]*;", text):
            yield line, text


def _of_python(tree: ast.Module, path: Path) -> Iterator[tuple[int, str]]:
    documents = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and not (node is tree and path.parent == PAGES)  # a page's title and invitation
    }
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {tree}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (node.lineno, "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {node} & (documents | inside):
            yield node.lineno, node.value


def _of_script(source: str) -> Iterator[tuple[int, str]]:
    for found in SOURCE.finditer(source):
        text = found[1] or found[2]
        if text:
            yield source.count("\n", 0, found.start()) + 1, re.sub(r"\$\{[^{}]*\}", "0", text)


def of_page(app: AppTest) -> Iterator[str]:
    """All texts of a page that has been run, with labels and texts on hover."""
    for element in app.main:
        yield from _of_element(element)


def unexplained(app: AppTest) -> Iterator[str]:
    """The terms of the field without an explanation on hover in their first paragraph on a page, with that paragraph."""
    known: set[str] = set()
    for element in app.main:
        if not isinstance(element, (Markdown, Caption, Subheader, Info)):
            continue
        text, note = element.value, getattr(element.proto, "help", "")
        if not re.search(r"[.!?](?:[”*_)]|$|\s)", text) and not isinstance(element, Subheader):
            continue  # a label
        known |= set(re.findall(r"\*\*([^*]+)\*\*: ", note))
        for pattern, term in TERMS.items():
            if term not in known and pattern.search(_plain(text)):
                known.add(term)
                yield f"“{term}” is explained nowhere: {text[:80]}…".replace("\n", " ")


def _of_element(element: object) -> Iterator[str]:
    proto = getattr(element, "proto", None)
    drawer = getattr(proto, "expandable", None)
    for text in (*(getattr(proto, name, "") for name in ("label", "help", "body")), getattr(drawer, "label", "")):
        if isinstance(text, str) and text and "<style" not in text:
            yield text


def findings_on(app: AppTest, name: str) -> Iterator[str]:
    """The faults of an opened page."""
    faults = dict.fromkeys(fault for text in of_page(app) for fault in complaints(text))
    yield from (f"{name}: {fault}" for fault in (*faults, *unexplained(app)))


def findings(name: str) -> Iterator[str]:
    """The faults of a page by its file's name, or of a file or folder by its path."""
    path = ROOT / name
    if not path.exists():
        yield from findings_on(opened(name, {}), name)
        return
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.suffix in (".py", ".js"):
            for line, text in of_file(file):
                yield from (f"{file.relative_to(ROOT)}:{line}: {fault}" for fault in complaints(text))


def main(names: Sequence[str]) -> int:
    """Print the findings of ``names``, or of all; return 1 if there are any."""
    found = [line for name in names or (*FOLDERS, *NAMES) for line in findings(name)]
    print("\n".join([*found, f"{len(found)} findings"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
