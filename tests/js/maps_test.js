// Neighbour maps of a run: a step has one map, followed, jumped to, or asked for with key frames from the server.
import { deepEqual, equal, fail } from "node:assert/strict";
import { Maps } from "../../assets/src/runs/maps.js";

const [N, D] = [12, 5];
const STEPS = [0, 1, 2, 3, 4, 5, 6]; // each second is a key frame
const group = { name: "unseen", points: Array.from({ length: N - 2 }, (_, k) => k + 1) };

const points = (step) =>
  Object.assign(Uint8Array.from({ length: N * D }, (_, k) => 1 + ((k * 37 + step * (k % 7) * 5) % 255)), { shape: [N, D] });
const frame = (step) => ({
  header: { step, members: [{ key: step % 2 === 0, after: step ? step - (step % 2 || 2) : -1 }] },
  arrays: { "0.points": points(step) },
});

/** The map of a step once it is made, and how often the server was asked. */
async function made(maps, step, keys = []) {
  const asked = [];
  const ask = async (before, after) => {
    asked.push([before, after]);
    const steps = keys.filter((key) => after < key && key < before);
    const all = Object.assign(Uint8Array.from(steps.flatMap((key) => [...points(key)])), { shape: [steps.length, N, D] });
    return { header: { steps: [steps] }, arrays: { "0.points": all } };
  };
  for (;;) {
    let come;
    const changed = new Promise((resolve) => (come = resolve));
    const { places, exact } = maps.of({ frame: frame(step), k: 0, group }, ask, come);
    if (exact) return { places: [...places], asked };
    await changed;
  }
}

Deno.test("a step has one map, followed, jumped to and scrubbed back to", async () => {
  const followed = new Maps();
  const maps = [];
  for (const step of STEPS) {
    followed.add(frame(step));
    maps.push((await made(followed, step)).places);
  }
  for (const step of [5, 6, 1]) {
    const jumped = await made(new Maps(), step, [0, 2, 4]);
    deepEqual(jumped, { places: maps[step], asked: step > 1 ? [[step, -1]] : [[1, -1]] });
  }
  const scrubbed = new Maps();
  scrubbed.add(frame(0));
  await made(scrubbed, 0);
  deepEqual(await made(scrubbed, 6, [0, 2, 4]), { places: maps[6], asked: [[6, 0]] });
  deepEqual(await made(scrubbed, 3, [0, 2, 4]), { places: maps[3], asked: [] });
});

Deno.test("points outside the group stay at the middle, and a recorded map is taken as it is", async () => {
  const { places } = await made(new Maps(), 0);
  deepEqual(places.slice(0, 2), [0, 0]);
  equal(Math.max(...places.map(Math.abs)), 1);
  const recorded = Object.assign(new Uint16Array([0, 65535]), { shape: [1, 2] });
  const given = { header: { step: 0, members: [{}] }, arrays: { "0.map": recorded } };
  const { places: [x, y], exact } = new Maps().of({ frame: given, k: 0, group });
  deepEqual([x, y, exact], [-1, 1, true]);
});

Deno.test("maps drawn of one frame are made of the next without a redraw for each; maps that were not drawn are not", async () => {
  const maps = new Maps();
  await made(maps, 0);
  let told = 0;
  maps.of({ frame: frame(0), k: 0, group }, () => null, () => (told += 1));
  await maps.follow(frame(1), () => null);
  const unasked = () => fail("it was made");
  deepEqual([maps.of({ frame: frame(1), k: 0, group }, unasked, unasked).exact, told], [true, 0]);
  await maps.follow(frame(2), () => null);
  await maps.follow(frame(3), () => null); // the second frame was not drawn
  equal(maps.of({ frame: frame(3), k: 0, group }, () => null, () => null).exact, false);
});
