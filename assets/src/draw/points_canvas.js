// Many points on a canvas: by WebGL where a processor for graphics computes it, else pixel by pixel.

import { rgb } from "./look.js";
import { FAINT, mark, SHAPES } from "./marker.js";
import { Pixels } from "./pixels.js";
import { LIMB } from "./sphere.js";

/** @typedef {import("./cloud.js").Paint} Paint */

const TILE = 16; // pixels of a marker's picture
const SIGNS = ["circle", ...Object.keys(SHAPES)];
const PALE = 0.12;
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** @type {boolean | undefined} */ let fast; // whether WebGL is, once it was asked for
const VERTEX = `#version 300 es
in vec3 at; in vec4 colour; in float sign;
uniform mat3 turn; uniform vec4 view; uniform float size; uniform float side;
out vec4 tint; flat out float left;
void main() {
  vec3 seen = turn * at;
  bool front = seen.z >= ${LIMB.toFixed(3)};
  gl_Position = vec4(seen.xy * view.xy + view.zw, front == (side > 0.) ? 0. : 2., 1);
  gl_PointSize = size;
  tint = colour * vec4(1, 1, 1, front ? 1. : ${FAINT});
  left = sign;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint; flat in float left;
uniform sampler2D signs;
out vec4 colour;
void main() {
  colour = vec4(tint.rgb, 1) * tint.a * texture(signs, vec2((left + gl_PointCoord.x) / ${SIGNS.length}., gl_PointCoord.y)).a;
}`;

/** @typedef {{gl: WebGL2RenderingContext, program: WebGLProgram, buffers: Record<string, WebGLBuffer>}} Gpu */
/** @typedef {import("./pixels.js").PointArrays} PointArrays */

/** A canvas of points. */
export class PointsCanvas {
  root = document.createElement("canvas");
  /** @type {Packed | null} */ rows = null;
  /** @type {PointArrays} */ points = { at: new Float32Array(), colours: new Uint8Array(), signs: new Uint8Array() };
  /** @type {Gpu | null | undefined} */ #gpu;
  /** @type {Pixels | undefined} */ #pixels;

  /** Takes points (n, 2 or 3) in their colours; pale ones are drawn first. @param {Packed} rows @param {Paint} paint */
  take(rows, paint) {
    const [n, wide] = rows.shape;
    const { pale } = paint;
    let order = Uint32Array.from({ length: n }, (_, i) => i);
    if (pale) order = Uint32Array.from([1, 0].flatMap((first) => [...order.filter((i) => pale[i] === first)]));
    const [at, colours, signs] = [new Float32Array(3 * n), new Uint8Array(4 * n), new Uint8Array(n)];
    /** @type {Map<number, number[]>} */ const looks = new Map();
    order.forEach((i, k) => {
      for (let axis = 0; axis < wide; axis += 1) at[3 * k + axis] = rows[wide * i + axis];
      const kind = paint.kindOf[i];
      const look = looks.get(kind) ?? lookOf(paint, kind);
      looks.set(kind, look);
      colours.set(look.slice(0, 3), 4 * k);
      colours[4 * k + 3] = pale?.[i] ? 255 * PALE : 255;
      signs[k] = look[3];
    });
    Object.assign(this, { rows, points: { at, colours, signs } });
    if (this.#gpu === undefined) this.#gpu = gpuOf(this.root);
    if (!this.#gpu) return;
    const { gl, program, buffers } = this.#gpu;
    for (const [name, values, width] of /** @type {const} */ ([["at", at, 3], ["colour", colours, 4], ["sign", signs, 1]])) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name] ??= gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      const place = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, width === 3 ? gl.FLOAT : gl.UNSIGNED_BYTE, width === 4, 0, 0);
    }
  }

  /** Draws the points in a frame. @param {PointsFrame} frame */
  draw(frame) {
    const { width, height, sharp, camera, left, top, unit, size } = frame;
    const [across, down] = [width, height].map((side) => Math.round(side * sharp));
    if (this.root.width !== across) this.root.width = across;
    if (this.root.height !== down) this.root.height = down;
    if (!this.#gpu) {
      const pen = this.root.getContext("2d");
      this.#pixels ??= new Pixels(SIGNS);
      if (pen) this.#pixels.draw(pen, this.points, frame, FAINT);
      return;
    }
    const { gl, program } = this.#gpu;
    /** @param {string} name */ const uniform = (name) => gl.getUniformLocation(program, name);
    gl.viewport(0, 0, across, down);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniformMatrix3fv(uniform("turn"), false, camera ? camera.matrix : [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const [x, y] = [2 / width, 2 / height];
    gl.uniform4f(uniform("view"), unit * x, unit * y, left * x - 1, 1 - top * y);
    gl.uniform1f(uniform("size"), 2.6 * size * sharp);
    for (const side of camera ? [0, 1] : [1]) {
      gl.uniform1f(uniform("side"), side);
      gl.drawArrays(gl.POINTS, 0, this.points.signs.length);
    }
  }

  close() {
    this.#gpu?.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.root.remove();
  }
}

/** Whether WebGL is there, and a processor for graphics computes it, by the name of what does. */
function isFast() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const details = gl.getExtension("WEBGL_debug_renderer_info"); // Firefox names it without
  const name = gl.getParameter(details ? details.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !SOFTWARE.test(name);
}

/** What draws on a canvas by WebGL; null where the browser has none that is fast. @param {HTMLCanvasElement} canvas @returns {Gpu | null} */
function gpuOf(canvas) {
  fast ??= isFast();
  const gl = fast ? canvas.getContext("webgl2", { antialias: false, depth: false }) : null;
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, source] of /** @type {const} */ ([[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, signs());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  return { gl, program, buffers: {} };
}

/** Red, green, blue and the number of the marker. @param {Paint} paint @param {number} kind */ function lookOf(
  { ofKind },
  kind,
) {
  const { colour, marker } = ofKind(kind);
  return [...rgb(colour), Math.max(0, SIGNS.indexOf(marker))];
}

/** All markers side by side. */
function signs() {
  const canvas = Object.assign(document.createElement("canvas"), { width: SIGNS.length * TILE, height: TILE });
  const pen = canvas.getContext("2d");
  SIGNS.forEach((name, k) => pen?.fill(new Path2D(mark(name, (k + 0.5) * TILE, TILE / 2, TILE / 2.6))));
  return canvas;
}
