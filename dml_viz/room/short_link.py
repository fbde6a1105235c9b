"""The short form of a link: all its settings in one, compressed, so that no server has to store anything."""

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

SHORT = "s"
LONGEST = 20_000  # characters, written out
SEAL = 2  # bytes of the checksum that detects a mistyped link
WRITTEN = re.compile(r"[A-Za-z0-9_-]+")
# The compression dictionary: common texts of links, the most common last. Existing links need it, so it can never change; another
# could be added with a first letter of its own.
FIRST = "1"
WORDS = (
    b"&hide=run.buttons~step~presets&lock=presets&answer=&ask=Which+point+moves+most+if+grows?+the+does+gradient+loss+"
    b"two+modes+in+one+class+an+outlier+antipodal+collapsed+separated+one+hard+negative+overlapping&racers=triplet~fastap~"
    b"proxy_anchor~multi_similarity&gradients.losses=circle.angular.proxy_nca.ranked_list.contrastive.lifted.soft_triple."
    b"normalised&softmax.scale=&triple.centres=&nca.scale=&anchor.alpha=32&anchor.delta=0.1&run.protocol=all+classes&data="
    b"glyphs&net=conv&run.dim=64&run.dim=2&run.lr=0.002&run.proxy_lr=10.0&run.seed=1&run.steps=500&p_by_k.samples=8&card="
    b"&query=&points=seen+classes&step=300&subject=live+run&loss=triplet&loss.triplet.margin=0.2&loss.triplet.mining="
    b"batch-hard&squared=False&fastap.kind=hard&fastap.arrows=batch&fastap.query=1&fastap.bins=20&scene=&ranked_list.query=6"
    b"&ranked_list.temperature=40.0&ranked_list.margin=0.4&ranked_list.alpha=1.2&angular.alpha=45.0&angular.negative=&angular."
    b"positive=&proxies.query=&gradients.scale=raw&gradients.query=&pairs.loss=circle&pairs.second=&pairs.negative=7&pairs."
    b"positive=4&pairs.anchor=3&.dim=3&.view=235_24&.scene=one+hard+negative&.at=a80_90_98_104b200_208_216_225c318_326_333_342"
)


def compress(settings: Mapping[str, str]) -> str:
    """The settings as one text of letters, digits, - and _, which `expand` reads."""
    plain = urlencode(settings).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=WORDS)
    packed = packer.compress(plain) + packer.flush() + _seal(plain)
    return FIRST + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def expand(text: str) -> dict[str, str]:
    """The settings that `compress` wrote as ``text``; ValueError for other or incomplete texts."""
    try:
        if not text.startswith(FIRST) or not WRITTEN.fullmatch(text):
            raise ValueError(text)
        packed = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        opener = zlib.decompressobj(-zlib.MAX_WBITS, zdict=WORDS)
        # Bounded: a few bytes may unpack to gigabytes.
        plain = opener.decompress(packed, LONGEST)
        if not opener.eof or opener.unused_data != _seal(plain):
            raise ValueError(text)
        return dict(parse_qsl(plain.decode(), keep_blank_values=True))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError("the link's short form is not whole or not right and was left out; copy all of it") from error


def _seal(plain: bytes) -> bytes:
    return zlib.crc32(plain).to_bytes(4, "big")[:SEAL]
