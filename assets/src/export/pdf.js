import { Fonts } from "./pdf_fonts.js";
import { content } from "./pdf_page.js";
import { numbers } from "./pdf_path.js";
import { joined } from "./truetype.js";

const POINTS = 72; // to the inch
const utf8 = new TextEncoder();

/**
 * A drawing as a PDF of one page of exactly its size, in vectors, with its text as text.
 *
 * `svg` stands in the document, so that its words have places; `inches` is {width, height} of the page; `all` are the faces
 * of export/fonts.js; `texts` has title, words and recipe (a string), which the file carries in its metadata.
 */
export async function pdf(svg, inches, all, texts) {
  const file = new File();
  const fonts = new Fonts(all);
  const states = new Map(); // graphics states by opacity
  const [shadings, images] = [[], []];
  const { width } = svg.viewBox.baseVal;
  const [wide, tall] = [inches.width * POINTS, inches.height * POINTS];
  const drawn = content(svg, { fonts, states, shadings, images, scale: wide / width, tall });
  const [root, pages, page] = [file.reserve(), file.reserve(), file.reserve()];
  const stream = await file.packed("", utf8.encode(drawn));
  const resources = [
    `/Font << ${(await fonts.written(file)).join(" ")} >>`,
    `/ExtGState << ${listed(file, [...states.values()])} >>`,
    `/Shading << ${listed(file, shadings)} >>`,
    `/XObject << ${(await pictures(file, images)).join(" ")} >>`,
  ];
  const metadata = file.plain("/Type /Metadata /Subtype /XML", utf8.encode(packet(texts)));
  file.put(root, `<< /Type /Catalog /Pages ${pages} 0 R /Metadata ${metadata} 0 R /Lang (en) >>`);
  file.put(pages, `<< /Type /Pages /Kids [${page} 0 R] /Count 1 >>`);
  file.put(
    page,
    `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 ${numbers(wide, tall)}] /Contents ${stream} 0 R ` +
      `/Resources << ${resources.join(" ")} >> >>`,
  );
  const info = file.add(`<< /Title ${words(texts.title)} /Subject ${words(texts.words)} /Producer (dml-viz) >>`);
  return file.bytes(root, info);
}

/** Objects by number, and the table of where they are. */
class File {
  #objects = [];

  reserve() {
    return this.#objects.push(null);
  }

  put(number, body) {
    this.#objects[number - 1] = typeof body === "string" ? utf8.encode(body) : body;
  }

  add(body) {
    const number = this.reserve();
    this.put(number, body);
    return number;
  }

  plain(entries, bytes) {
    const head = utf8.encode(`<< ${entries} /Length ${bytes.length} >>\nstream\n`);
    return this.add(joined([head, bytes, utf8.encode("\nendstream")]));
  }

  async packed(entries, bytes) {
    const squeezed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
    return this.plain(`${entries} /Filter /FlateDecode`, new Uint8Array(await new Response(squeezed).arrayBuffer()));
  }

  bytes(root, info) {
    const parts = [Uint8Array.from([...utf8.encode("%PDF-1.7\n%"), 0xe2, 0xe3, 0xcf, 0xd3, 10])];
    let at = parts[0].length;
    const places = this.#objects.map((body, k) => {
      const place = at;
      const part = joined([utf8.encode(`${k + 1} 0 obj\n`), body, utf8.encode("\nendobj\n")]);
      parts.push(part);
      at += part.length;
      return place;
    });
    const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
    const size = places.length + 1;
    const trailer = `trailer\n<< /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${at}\n%%EOF\n`;
    parts.push(utf8.encode(`xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`));
    return joined(parts);
  }
}

function listed(file, named) {
  return named.map(({ name, body }) => `/${name} ${file.add(body)} 0 R`).join(" ");
}

async function pictures(file, images) {
  return Promise.all(
    images.map(async ({ name, width, height, rgb, alpha }) => {
      const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`;
      const mask = await file.packed(`${size} /ColorSpace /DeviceGray`, alpha);
      return `/${name} ${await file.packed(`${size} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`, rgb)} 0 R`;
    }),
  );
}

// Any text, as UTF-16.
function words(text) {
  const units = Array.from({ length: text.length }, (_, k) => text.charCodeAt(k).toString(16).padStart(4, "0"));
  return `<feff${units.join("")}>`;
}

// Left as it is, so that whoever searches the file for the recipe finds it.
function packet({ title, words: description, recipe }) {
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const alternatives = (text) => `<rdf:Alt><rdf:li xml:lang="x-default">${plain(text)}</rdf:li></rdf:Alt>`;
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dml="https://dml-viz.invalid/recipe">' +
    `<dc:title>${alternatives(title)}</dc:title><dc:description>${alternatives(description)}</dc:description>` +
    `<dml:recipe>${plain(recipe)}</dml:recipe></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>`
  );
}
