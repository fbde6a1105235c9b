"""What strangers write into links, trays, lessons and files: addresses that lead elsewhere, and words that are markup."""

# Addresses that are no page of this app.
LINKS = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "\x01javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>", "vbscript:x", "blob:https://x/y", "https://evil.example", "//evil.example",
    "/\\evil.example", "\\\\evil.example", "https:train", "javascript://%0aalert(1)", "train:x?y",
)  # fmt: skip
# Addresses that may lead to this server, but that no page writes.
ODD_LINKS = (
    "/train",
    "../train",
    "train/../..",
    "train#x",
    "train?a=b\nc",
    "train?a= b",
    "tr\u0430in",
    "train?\\evil",
    '"><script>alert(1)</script>',
)
# Keys of controls and figures, of which pages make styles.
STYLES = (
    "x{}",
    "x}*{background:url(https://evil.example)}",
    "</style><script>alert(1)</script>",
    "x;}",
    "a,body",
    "a b",
    "a>b",
    "\\65",
    "x\n}",
    "url(//evil.example)",
    "/**/",
)
RUNS = "window.dmlOwned = 1"
WORDS = (
    f"<script>{RUNS}</script>", f'<img src=x onerror="{RUNS}">', f'"><svg onload="{RUNS}">', f'<a href="javascript:{RUNS}">a</a>',
    f"[b](javascript:{RUNS})", "[c](https://evil.example)", "[d][e]\n\n[e]: https://evil.example", "![f](https://evil.example/f.png)",
    "<https://evil.example>", "https://evil.example/g", "www.evil.example/h", "evil@evil.example",
    f"</style><script>{RUNS}</script>", '<p style="background:url(https://evil.example/i.png)">',
    "<iframe src=https://evil.example></iframe>", "<form action=https://evil.example><button>",
)  # fmt: skip
TEX = (
    rf"$\href{{javascript:{RUNS}}}{{j}}$",
    r"$\href{https://evil.example}{k}$",
    r"$\url{https://evil.example}$",
    r"$\includegraphics{https://evil.example/l.png}$",
    r"$\htmlStyle{background:url(https://evil.example/m.png)}{m}$",
    rf"$\htmlData{{x=1 onclick={RUNS}}}{{n}}$",
    r"$\def\o{\o\o}\o$",
)
