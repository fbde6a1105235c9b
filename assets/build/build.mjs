// Builds assets/dist: the components and what they share, all of them in one script for notebooks, Plotly with the trace types in use, and the licences of what is inside.
// Run by `make dist`; what it writes is committed, and the same wherever it is built.
import asc from "assemblyscript/asc";
import * as esbuild from "esbuild";

const here = new URL("./", import.meta.url).pathname;
const assets = new URL("../", import.meta.url).pathname;
const out = `${assets}dist/`;
const TARGET = ["chrome120", "firefox121", "safari17"];

// Slow code of libraries. PDF: concat, in a page with Apache Arrow, and widths of words, which only gradients in words need.
// Plotly: attributes that are written again as they were, so that the browser styles and paints their elements again; names of
// attributes, taken apart at each use; lines with gaps. By the end of a file's path: what is slow in it, and what stands there.
const QUICKER = {
  "/jspdf.es.min.js": [
    ["d=d.concat(h)", "h.forEach((byte)=>d.push(byte))"],
    ["a=a.concat(n.encode(r))", "n.encode(r).forEach((byte)=>a.push(byte))"],
  ],
  "/svg2pdf.es.min.js": [["b-n,t.textMeasure.measureTextWidth(d,t.attributeState),n]", "b-n,0,n]"]],
  "/@plotly/d3/d3.js": ["value", "x"].map((value) => [
    `this.setAttribute(name, ${value});`,
    `if (this.getAttribute(name) !== String(${value})) this.setAttribute(name, ${value});`,
  ]),
  "/lib/nested_property.js": [
    ["'use strict';", "const KEPT = new Map();"],
    ["propStr.split('.')", "KEPT.get(propStr)?.slice() ?? propStr.split('.')"],
    ["while(j <", "if (!KEPT.has(propStr)) while(j <"],
    ["if(typeof container", "KEPT.has(propStr) || KEPT.set(propStr, propParts.slice());\nif(typeof container"],
  ],
  "/scatter/plot.js": [["require('./line_points')", 'require("joined-lines")(require("./line_points"))']],
};
const quicker = {
  name: "quicker",
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const [, changes] = Object.entries(QUICKER).find(([end]) => path.endsWith(end)) ?? [];
      const contents = changes?.reduce((whole, [slow, quick]) => {
        if (!whole.includes(slow)) throw new Error(`${path} has changed: it does not hold ${slow}`);
        return whole.replace(slow, quick);
      }, Deno.readTextFileSync(path));
      return contents && { contents };
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

const LOOPS = `${assets}src/runs/map_loops`;
await compileLoops();
await Deno.remove(out, { recursive: true }).catch(() => {});
const ALONE = ["classroom_console.js", "classroom_student.js", "notebook.js"]; // whole scripts of pages without Streamlit
const components = [...Deno.readDirSync(`${assets}src/components`)].map(({ name }) => name).filter((name) =>
  !ALONE.includes(name)
).sort();
// What every page needs is one script, and not one for each set of components that share a part of it.
const PARTS = [
  "plot/layout",
  "plot/library",
  "runs/framed_images",
  "runs/packing",
  "runs/player",
  "export/panels",
  "export/sheet",
];
const SHARED = [
  ...["draw", "host"].flatMap((room) => scripts(`${assets}src/${room}`)),
  ...PARTS.map((name) => `${assets}src/${name}.js`),
];
const shared = `${out}shared.js`;
// A lesson's file asks no server: what stands in src/lesson/in_place is bundled in place of these.
const IN_PLACE = ["host/assets.js", "host/attempt.js", "plot/chart.js", "plot/library.js", "export/menu.js"];
const inPlace = {
  name: "in-place",
  setup(build) {
    build.onResolve({ filter: /^\.+\// }, ({ path, resolveDir, importer }) => {
      const found = new URL(path, `file://${resolveDir}/`).pathname.replace(`${assets}src/`, "");
      if (!IN_PLACE.includes(found) || importer.includes("/in_place/")) return undefined;
      return { path: `${assets}src/lesson/in_place/${found.split("/").at(-1)}` };
    });
  },
};
const SCENES = ["panels", "predict", "scene_editor", "second_view"];
// Of a file with scenes alone, and of one with runs, too.
const LESSONS = { lesson_scenes: SCENES, lesson: [...SCENES, "live"] };
const lessonOf = (names) =>
  [
    `export { open } from "${assets}src/lesson/open.js";`,
    `export * as library from "${assets}src/rooms/library.js";`,
    ...names.map((name) => `import * as ${name} from "${assets}src/components/${name}.js";`),
    `export const components = { ${names.join(", ")} };`,
  ].join("\n");
const NOTEBOOK = ["figure", "flow", "live", "panels", "scene_editor", "second_view"];
const named = (name) => `export * as ${name} from "${assets}src/components/${name}.js";`;

Deno.mkdirSync(out);
Deno.writeTextFileSync(shared, SHARED.sort().map((path) => `import "${path}";`).join("\n"));
const built = [
  await esbuild.build({
    ...plain,
    entryPoints: components.map((name) => `${assets}src/components/${name}`),
    format: "esm",
    splitting: true,
    chunkNames: "[name]-[hash]",
    inject: [shared],
    sourcemap: "external", // which no script names: a visitor's browser asks for none
    sourcesContent: false,
    outdir: `${out}js`,
  }),
  await esbuild.build({
    ...plain,
    entryPoints: ALONE.map((name) => `${assets}src/components/${name}`),
    format: "esm",
    outdir: `${out}js`,
  }),
  await esbuild.build({
    ...plain,
    stdin: { contents: NOTEBOOK.map(named).join("\n"), resolveDir: assets },
    format: "esm",
    outfile: `${out}js/notebook_parts.js`,
  }),
  ...await Promise.all(
    Object.entries(LESSONS).map(([name, parts]) =>
      esbuild.build({
        ...plain,
        stdin: { contents: lessonOf(parts), resolveDir: assets },
        format: "iife",
        globalName: "dmlLesson",
        plugins: [inPlace],
        outfile: `${out}js/${name}.js`,
      })
    ),
  ),
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
    plugins: [quicker],
    alias: { "joined-lines": `${here}plotly_lines.cjs` },
    loader: { ".css": "empty" },
    outfile: `${out}plotly.min.js`,
  }),
];
await esbuild.stop();
Deno.removeSync(shared);

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

const sources = [...scripts(`${assets}src`), `${LOOPS}.ts`];
const digest = await crypto.subtle.digest(
  "SHA-256",
  new TextEncoder().encode(
    sources.sort().map((path) => `${path.slice(assets.length)}\n${Deno.readTextFileSync(path)}`).join(""),
  ),
);
const { version } = JSON.parse(Deno.readTextFileSync(`${here}node_modules/plotly.js/package.json`));
const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
// The scripts that each component imports, so that a page can name them all at once.
const outputs = Object.fromEntries(
  Object.entries(built[0].metafile.outputs).map(([path, output]) => [path.split("/").at(-1), output]),
);
const imported = (name, all = new Set()) => {
  for (const { path, kind } of outputs[name].imports) {
    const other = path.split("/").at(-1);
    if (kind !== "import-statement" || all.has(other)) continue;
    all.add(other);
    imported(other, all);
  }
  return all;
};
const chunks = Object.fromEntries(components.map((name) => [name.replace(".js", ""), [...imported(name)].sort()]));
Deno.writeTextFileSync(`${out}manifest.json`, `${JSON.stringify({ sources: hex, plotly: version, chunks }, null, 2)}\n`);

// Writes the compiled loops of a neighbour map as a script.
async function compileLoops() {
  const source = Deno.readTextFileSync(`${LOOPS}.ts`);
  const made = {};
  const { error, stderr } = await asc.main(
    "loops.ts --outFile loops.wasm -O3 --converge --noAssert --runtime stub --initialMemory 1 --enable simd".split(" "),
    {
      readFile: (name) => name === "loops.ts" ? source : null,
      writeFile: (name, bytes) => made[name] = bytes,
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`${stderr}`);
  const code = btoa(String.fromCharCode(...made["loops.wasm"]));
  Deno.writeTextFileSync(
    `${LOOPS}.js`,
    `/** The loops of map_loops.ts, compiled by build.mjs, in base 64. */\nexport const LOOPS =\n  "${code}";\n`,
  );
}

function scripts(folder) {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? scripts(path) : name.endsWith(".js") ? [path] : [];
  });
}
