// Drawing goes on where a drawing fails, and where the page is hidden between a request and its frame.
import { Repaint } from "../../assets/src/draw/repaint.js";

Deno.test("requests before one frame are one drawing of all that was asked for", async () => {
  globalThis.requestAnimationFrame = (draw) => setTimeout(draw, 5);
  const drawn = [];
  const repaint = new Repaint((wanted) => drawn.push([...wanted].join()));
  repaint.request("hover");
  await repaint.request("turn");
  await repaint.request();
  if (drawn.join(";") !== "hover,turn;all") throw new Error(drawn.join(";"));
});

Deno.test("a page that gets hidden after the request is drawn without a frame", async () => {
  globalThis.requestAnimationFrame = () => {};
  let drawn = 0;
  await new Repaint(() => (drawn += 1)).request();
  if (drawn !== 1) throw new Error("not drawn");
});

Deno.test("a drawing that throws is reported, and the next one is drawn", async () => {
  globalThis.requestAnimationFrame = (draw) => setTimeout(draw, 1);
  const { error } = console;
  const reported = [];
  console.error = (fault) => reported.push(fault.message);
  let drawn = 0;
  const repaint = new Repaint(() => {
    drawn += 1;
    if (drawn === 1) throw new Error("a panel fails");
  });
  await repaint.request();
  await repaint.request();
  console.error = error;
  if (drawn !== 2 || reported.join() !== "a panel fails") {
    throw new Error(`${drawn} ${reported}`);
  }
});
