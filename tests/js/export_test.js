// Files of figures: links, lines of words, pages that end no script early, and the tables of the Gradients page.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { tableOf } from "../../assets/src/components/points.js";
import { gradientRows } from "../../assets/src/export/boards.js";
import { csv } from "../../assets/src/export/csv.js";
import { curves, entries } from "../../assets/src/export/panels.js";
import { withSetting } from "../../assets/src/export/recipe.js";
import { brokenToFit as wrapped, fitted } from "../../assets/src/export/fit.js";
import { runs } from "../../assets/src/export/measure.js";
import { html } from "../../assets/src/export/html.js";
import { stepsOfFilm } from "../../assets/src/export/movie.js";
import { png } from "../../assets/src/export/png.js";
import { bounded, sizeOf, typed } from "../../assets/src/export/sizes.js";
import { greatArc } from "../../assets/src/draw/sphere.js";
import { ofLoss, took } from "../../assets/src/gradients/words.js";
import { broken } from "../../assets/src/draw/words.js";
import { Thumbnails } from "../../assets/src/live/thumbnails.js";
import { Embedding } from "../../assets/src/live/panels/embedding.js";

Deno.test("long words are broken between words", () => {
  const words = "Dead gradient: 0 % of the batch has a gradient at loss 0; this step teaches nothing.";
  equal(broken(words).join(" "), words);
  ok(Math.max(...broken(words).map(({ length }) => length)) <= 34);
});

Deno.test("a film shows the first and the last step, and no more pictures than its length has room for", () => {
  const steps = Array.from({ length: 301 }, (_, k) => k);
  deepEqual(stepsOfFilm(steps, 0.25), [0, 150, 300]);
  equal(stepsOfFilm(steps, 60).length, 120);
  deepEqual(stepsOfFilm([0, 5, 9], 8), [0, 5, 9]);
  deepEqual(stepsOfFilm([7], 8), [7]);
});

Deno.test("a size or a number beyond its range is taken within it, and said", () => {
  const notes = [];
  equal(bounded("8", [5, 60], "Words, pt", notes), 8);
  deepEqual(sizeOf("80", "", "mm", notes), { width: 80 / 25.4, height: null });
  deepEqual(notes, []);
  deepEqual(["1", "", "-3", "90"].map((text) => bounded(text, [5, 60], "Words, pt", notes)), [5, 5, 5, 60]);
  equal(notes[1], "Words, pt: 5 to 60; 5 is taken.");
  deepEqual(sizeOf("5", "60", "in", notes), { width: 5, height: 60 });
  equal(sizeOf("5", "60", "mm", notes).width, 0.5);
  equal(notes.at(-1), "Width, mm: 12.7 to 1524; 12.7 is taken.");
  throws(() => sizeOf("1500", "1500", "mm", []), /^Error: 1500 × 1500 mm is 3,488 square inches; at most 1,600$/);
  equal(typed(typed(80 / 25.4, "in"), "mm"), 80);
});

Deno.test("words of a key are broken between words, and numbers that do not fit their cells are left out", () => {
  globalThis.document = {
    createElement: () => ({
      getContext: () => ({
        measureText: (text) => ({ width: 8 * text.length }),
      }),
    }),
  };
  const key = '<span style="color:red">●</span> three positives and more<br><b>now</b>';
  const lines = wrapped(key, 120, 13, "serif").split("<br>");
  deepEqual(lines, [
    '<span style="color:red">●</span> three',
    "positives and",
    "more",
    "<b>now</b>",
  ]);
  equal(wrapped("width Δ\u00a0=\u00a00.4", 40, 13, "serif"), "width<br>Δ\u00a0=\u00a00.4");
  const z = [[-0.5, 1, 0]];
  const cells = { type: "heatmap", z, text: [["−0.50", "1.00", "0.00"]], texttemplate: "%{text}", textfont: { size: 30 } };
  const layout = { margin: { l: 0, r: 0, t: 0, b: 0 }, height: 100 };
  const sizes = [108, 96, 87].map((width) => fitted({ data: [cells], layout }, { width }).data[0])
    .map(({ texttemplate, textfont }) => texttemplate && textfont.size);
  deepEqual(sizes, [30, 10, undefined]);
  delete globalThis.document;
});

Deno.test("a list of names has a line for each of them", () => {
  const names = Array.from({ length: 23 }, (_, k) => `Name ${k}`);
  const bars = { type: "bar", orientation: "h", y: names, x: names.map(() => 1) };
  const layout = { margin: { l: 0, r: 0, t: 0, b: 0 }, height: 100 };
  ok(fitted({ data: [bars], layout }, { width: 300, height: 100, letters: 12 }).height >= 1.2 * 12 * names.length);
});

Deno.test("an entry of a key has one space between its words", () => {
  const part = { childNodes: ["in use ", "16.2 of 64"].map((textContent) => ({ textContent })) };
  deepEqual(entries({ querySelectorAll: () => [part] }).map(({ text }) => text), ["in use 16.2 of 64"]);
});

Deno.test("no letter is lost where the browser collapses spaces", () => {
  const placed = { " in  use\u00a0 ": "normal", " 64 ": "normal", " of  2": "pre" };
  const parts = Object.entries(placed).map(([data, whiteSpace]) => ({ data, parentElement: { whiteSpace } }));
  globalThis.NodeFilter = {};
  globalThis.getComputedStyle = ({ whiteSpace }) => ({ whiteSpace, visibility: "visible" });
  globalThis.document = {
    createTreeWalker: () => ({
      nextNode() {
        return (this.currentNode = parts[this.at = (this.at ?? -1) + 1]);
      },
    }),
  };
  const words = "in use\u00a0 64  of  2";
  const letters = runs({ getNumberOfChars: () => words.length }).flatMap((run) => run.letters);
  equal(letters.map(({ letter }) => letter).join(""), words);
  deepEqual(letters.map(({ index }) => index), Array.from(words, (_, k) => k));
  for (const name of ["NodeFilter", "getComputedStyle", "document"]) delete globalThis[name];
});

Deno.test("no cell of a table is a formula, and no line of its notes is a row", () => {
  const rows = [["=1+cmd", "-2.5", "−0.5", -2.5, "@SUM(A1)"]];
  const text = csv({ columns: ["name"], rows, notes: ["x\r=1+cmd"] }, {
    caption: "a\nb",
    recipe: "{}",
  }, ",");
  deepEqual(text.split("\r\n").slice(1), [
    ..."# a,# b,# x,# =1+cmd,# column name: as it is called,name".split(","),
    "'=1+cmd,-2.5,−0.5,-2.5,'@SUM(A1)",
    "",
  ]);
});

Deno.test("a link takes a setting and loses it", () => {
  equal(withSetting("race?a=1+2", "race.step", 40), "race?a=1+2&race.step=40");
  equal(withSetting("race?race.step=9", "race.step", null), "race");
  equal(withSetting("", "step", 0), "?step=0");
});

Deno.test("a page ends no script early", () => {
  const figure = {
    data: [{ text: ["</script><b>"], x: Float64Array.of(1, NaN) }],
    layout: {},
  };
  const about = {
    title: "<t>",
    words: '"',
    caption: "a\nb",
    recipe: '{"title": "</script>"}',
  };
  const page = html({ figure, library: "'</script>'" }, about);
  equal(page.split("</script>").length, 4);
  match(page, /\[1,null\]/);
  match(page, /&lt;t&gt;/);
});

Deno.test("tables tell no time and name the proxies", () => {
  const content = {
    title: "A",
    value: 1,
    norm: 2,
    ms: 3,
    points: [1, 1],
    pairs: [1, 2],
    part: "tangent",
    shown: 1,
  };
  const where = {
    dim: 2,
    n: 1,
    zoom: 2,
    middle: [0.25, 0],
    y: [0],
    z: Float32Array.of(1, 0.5),
  };
  const gradients = {
    arrows: Float32Array.of(3, 4),
    lengths: [5],
    proxies: Float32Array.of(0.5, 0),
    owners: [0],
  };
  const drawn = [{ ...content, ...where, ...gradients }];
  deepEqual(ofLoss(content), ["L 1.00 · |g| 2.00", "points 100% · pairs 50%"]);
  equal(took(content), "Computed in 3.00 ms.");
  deepEqual(
    gradientRows({ drawn, message: { header: { names: ["a"] } } }).rows,
    [
      ["A", 0, "a", 0.75, 0.25, 3, 4, 5],
      ["A", "proxy 0", "a", 0.5, 0, "", "", ""],
    ],
  );
});

Deno.test("a long step goes along the sphere", () => {
  const unit = (row) => row.map((x) => x / Math.hypot(...row));
  const inner = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
  const angle = (a, b) => Math.acos(Math.min(1, inner(a, b)));
  for (const dim of [2, 3]) {
    for (let k = 0; k < 6; k += 1) {
      const [from, some] = [1, 8].map((seed) =>
        unit(
          Array.from({ length: dim }, (_, i) => Math.sin(seed + 3 * k + 5 * i)),
        )
      );
      const to = k ? some : from;
      const way = greatArc(from, to, 0.12);
      for (const row of way) ok(Math.abs(Math.hypot(...row) - 1) < 1e-9);
      const turns = way.slice(1).map((row, step) => angle(way[step], row));
      ok(Math.max(...turns) <= 0.12 + 1e-6);
      ok(Math.abs(turns.reduce((a, b) => a + b) - angle(from, to)) < 1e-6);
    }
  }
});

Deno.test("a picture beyond a phone's canvas says so in a sentence", async () => {
  const most = 16_000_000; // pixels
  globalThis.Image = class {
    async decode() {}
  };
  for (const pen of [null, { drawImage() {} }]) {
    const getContext = function () {
      return this.width * this.height > most ? pen : { drawImage() {} };
    };
    const canvas = () => ({
      getContext,
      toDataURL: () => "data:,",
      toBlob: (done) => done(null),
    });
    globalThis.document = { createElement: canvas };
    await rejects(
      png("<svg/>", { width: 24, height: 18 }, 3, "{}"),
      /no canvas of 6912 × 5184 pixels/,
    );
  }
  delete globalThis.document;
});

Deno.test("images in place of points have the colours of the file", () => {
  const drawn = [];
  const pen = { scale() {}, drawImage() {}, putImageData: ({ data }) => drawn.push(...data) };
  const createElement = () => ({ getContext: () => pen, toDataURL: () => "data:," });
  globalThis.document = { createElement, createElementNS: () => ({ setAttribute() {}, append() {} }) };
  globalThis.ImageData = class {
    constructor(width, height) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  };
  const images = Object.assign(Uint8Array.of(255, 0), { shape: [1, 1, 2] });
  const look = { ofClass: () => ({ colour: "#d55e00" }) };
  const desk = { subject: { arrays: { images } }, group: { points: [0], kindOf: [3] }, look };
  const disc = { width: 9, height: 9, seen: { front: [1] }, pixel: () => ({ x: 0, y: 0 }) };
  new Thumbnails({ append() {} }).whole(disc, desk, null, (colour) => (colour === "#d55e00" ? "rgb(7, 7, 7)" : ""));
  deepEqual(drawn, [7, 7, 7, 255, 7, 7, 7, 0]);
  delete globalThis.document;
  delete globalThis.ImageData;
});

Deno.test("a table of our own says what each of its columns is", () => {
  const columns = ["point", "x", "active", "z1"];
  const notes = ["column z1: coordinate 1 of 8 of the embedding"];
  const text = csv({ columns, rows: [[0, 1, 2, 3]], notes }, {
    caption: "said",
    recipe: "{}",
  }, ",");
  const said = text.split("\r\n").filter((line) => line.startsWith("# column "));
  deepEqual(
    said.map((line) => line.slice(9).split(": ")[0]).sort(),
    [...columns].sort(),
  );
  match(text, /active: share of the batch's points with a gradient/);
  match(csv({ columns: ["bounding box"], rows: [] }, { caption: "", recipe: "{}" }, ","), /box: as it is called/);
});

Deno.test("the table of all rows says what its own columns are", () => {
  const rows = Object.assign(Float32Array.of(1, 2), { shape: [1, 2] });
  const file = { title: "mine", names: ["cat", "dog"], dim: 64, picture: "map", near: 10 };
  const { columns, rows: all, notes } = tableOf([{ disc: { rows }, file, y: [1], right: [7], looks: [1] }]);
  deepEqual(all, [["mine", 0, "dog", 1, 2, 7, "cat"]]);
  const text = csv({ columns, rows: all, notes }, { caption: "", recipe: "{}" }, ",");
  ok(!text.includes("as it is called"));
  match(text, /column x: place in the neighbour map drawn, of 64 dimensions/);
  match(text, /column nearest of its class: how many of its 10 known nearest rows are of its class/);
});

Deno.test("the curves of a race are named by racer and seed, and say what is scored", () => {
  const named = ["step", "0.0.map.unseen", "0.1.map.seen", "1.0.map.unseen"];
  const history = {
    count: 1,
    columns: new Map(named.map((name) => [name, [1]])),
    column: (name) => history.columns.get(name),
  };
  const members = [{ letter: "A", title: "Triplet", branch: null }, {
    letter: "B",
    title: "Triplet",
    branch: [50, 0],
  }];
  const header = { members, seeds: 2, protocol: "all classes" };
  const { columns, notes } = curves({ history, subject: { header } }, 7);
  deepEqual(columns, [
    "step",
    "A Triplet, seed 7: map.unseen",
    "A Triplet, seed 8: map.seen",
    "B Triplet, from A at step 50, seed 7: map.unseen",
  ]);
  deepEqual(notes.slice(1), [
    `column ${columns[1]}: mean average precision on held-out images`,
    `column ${columns[2]}: mean average precision on training images`,
    `column ${columns[3]}: mean average precision on held-out images`,
  ]);
});

Deno.test("the table of an embedding has all of its coordinates and where each point is drawn", async () => {
  const subject = {
    header: { classes: ["cat", "dog"] },
    arrays: { y: Uint8Array.of(0, 1), images: [] },
  };
  const view = Object.assign(Float32Array.of(1, 2, 3, 4), { shape: [2, 2] });
  const frame = { header: { step: 7 }, arrays: { "0.view": view } };
  const desk = {
    subject,
    frame,
    dim: 4,
    group: { points: [1], name: "unseen" },
  };
  const embeddings = () => Promise.resolve(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  const { columns, rows, notes } = await Embedding.prototype.table.call({
    desk: { ...desk, embeddings },
  });
  deepEqual(columns.slice(4), [
    "z1",
    "z2",
    "z3",
    "z4",
    "first direction",
    "second direction",
  ]);
  deepEqual(rows, [[1, 1, "dog", "unseen classes", 5, 6, 7, 8, 3, 4]]);
  ok(
    columns.every((name) => notes.some((note) => note.startsWith(`column ${name}: `))),
  );
  const none = await Embedding.prototype.table.call({
    desk: { ...desk, embeddings: () => Promise.resolve(null) },
  });
  match(none.notes.join(), /4 coordinates of the embedding are not stored with this step/);
});
