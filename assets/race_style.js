// Racers are letters and lines, never markers: their tones are none of the classes' colours, and the dash changes too.

/** Tone, dash and width of racer `k` on the paper of the moment. */
export function racerStyle(look, k) {
  const { tones, dashes } = look.racers;
  const shades = tones[look.theme];
  const round = Math.floor(k / shades.length);
  return { tone: shades[k % shades.length], dash: dashes[(k + round) % dashes.length], width: 2 };
}

/** The colours and letters of `node`, which stands for racer `k`. */
export function dressRacer(node, look, k) {
  node.style.setProperty("--dml-racer", racerStyle(look, k).tone);
}
