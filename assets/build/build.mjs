// Builds assets/dist: each component as one script, Plotly with the trace types in use, and the licences of what is inside.
// Run by `make dist`; what it writes is committed, and the same wherever it is built.
import * as esbuild from "esbuild";

const here = new URL("./", import.meta.url).pathname;
const assets = new URL("../", import.meta.url).pathname;
const out = `${assets}dist/`;
const TARGET = ["chrome120", "firefox121", "safari17"];

// Slow code of the PDF libraries: concat, in a page with Apache Arrow, and widths of words, which only gradients in words need.
const QUICKER = {
  jspdf: [
    ["d=d.concat(h)", "h.forEach((byte)=>d.push(byte))"],
    ["a=a.concat(n.encode(r))", "n.encode(r).forEach((byte)=>a.push(byte))"],
  ],
  svg2pdf: [["b-n,t.textMeasure.measureTextWidth(d,t.attributeState),n]", "b-n,0,n]"]],
};
const quicker = {
  name: "quicker",
  setup(build) {
    build.onLoad({ filter: /(jspdf|svg2pdf)\.es\.min\.js$/ }, ({ path }) => {
      const contents = QUICKER[path.split("/").at(-1).split(".")[0]].reduce((whole, [slow, quick]) => {
        if (!whole.includes(slow)) throw new Error(`${path} has changed: it does not hold ${slow}`);
        return whole.replace(slow, quick);
      }, Deno.readTextFileSync(path));
      return { contents };
    });
  },
};
const plain = {
  bundle: true,
  minify: true,
  target: TARGET,
  metafile: true,
  legalComments: "none",
  absWorkingDir: here,
};

await Deno.remove(out, { recursive: true }).catch(() => {});
const components = [...Deno.readDirSync(`${assets}src/components`)].map(({ name }) => name).sort();
const built = [
  await esbuild.build({
    ...plain,
    entryPoints: components.map((name) => `${assets}src/components/${name}`),
    format: "esm",
    outdir: `${out}js`,
  }),
  await esbuild.build({
    ...plain,
    entryPoints: ["pdf", "movie", "outline"].map((name) => `${here}${name}_library.mjs`),
    format: "esm",
    external: ["canvg", "dompurify", "html2canvas"], // for HTML as a picture, which no export needs
    outdir: `${out}js`,
    plugins: [quicker],
  }),
  await esbuild.build({
    ...plain,
    entryPoints: [`${here}plotly.cjs`],
    format: "iife",
    globalName: "Plotly",
    define: { global: "window", "define.amd": "false" },
    loader: { ".css": "empty" },
    outfile: `${out}plotly.min.js`,
  }),
];
await esbuild.stop();

const packages = new Set(
  built.flatMap(({ metafile }) => Object.keys(metafile.inputs)).flatMap((path) =>
    /^(?:.*node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(path.replace(/^\(disabled\):/, ""))?.[0] ?? []
  ),
);
const licences = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(Deno.readTextFileSync(`${here}${folder}package.json`));
  const file = [...Deno.readDirSync(`${here}${folder}`)].map(({ name }) => name).sort().find((own) => /^licen[cs]e/i.test(own));
  const text = file ? Deno.readTextFileSync(`${here}${folder}${file}`).trim() : "";
  return `${name} ${version} (${license})\n\n${text}`;
});
Deno.writeTextFileSync(`${out}LICENSES.txt`, `${[...new Set(licences)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);

const sources = [];
for (const folder of ["src"]) sources.push(...scripts(`${assets}${folder}`));
const digest = await crypto.subtle.digest(
  "SHA-256",
  new TextEncoder().encode(
    sources.sort().map((path) => `${path.slice(assets.length)}\n${Deno.readTextFileSync(path)}`).join(""),
  ),
);
const { version } = JSON.parse(Deno.readTextFileSync(`${here}node_modules/plotly.js/package.json`));
const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
Deno.writeTextFileSync(`${out}manifest.json`, `${JSON.stringify({ sources: hex, plotly: version }, null, 2)}\n`);

function scripts(folder) {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? scripts(path) : name.endsWith(".js") ? [path] : [];
  });
}
