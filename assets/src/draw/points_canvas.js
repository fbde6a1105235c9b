// Many points on a canvas: by WebGL or, where there is none, as squares.

import { rgb } from "./look.js";
import { FAINT, mark, SHAPES } from "./marker.js";
import { LIMB } from "./sphere.js";

/** @typedef {import("./cloud.js").Paint} Paint */

const TILE = 16; // pixels of a marker's picture
const SIGNS = ["circle", ...Object.keys(SHAPES)];
const PALE = 0.12;
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

/** A canvas of points. */
export class PointsCanvas {
  root = document.createElement("canvas");
  /** @type {Packed | null} */ rows = null;
  /** @type {Uint32Array} */ order = new Uint32Array(); // pale points are drawn first
  /** @type {Paint} */ paint = { kindOf: [], ofKind: () => ({ colour: "", marker: "" }) };
  /** @type {Gpu | null | undefined} */ gpu;

  /** Takes points (n, 2 or 3) in their colours. @param {Packed} rows @param {Paint} paint */
  take(rows, paint) {
    const [n, wide] = rows.shape;
    const { pale } = paint;
    Object.assign(this, { rows, paint });
    this.order = Uint32Array.from({ length: n }, (_, i) => i);
    if (pale) this.order = Uint32Array.from([1, 0].flatMap((first) => [...this.order.filter((i) => pale[i] === first)]));
    if (this.gpu === undefined) this.gpu = gpuOf(this.root);
    if (!this.gpu) return;
    const [at, colours, signs] = [new Float32Array(3 * n), new Uint8Array(4 * n), new Uint8Array(n)];
    /** @type {Map<number, number[]>} */ const looks = new Map();
    this.order.forEach((i, k) => {
      for (let axis = 0; axis < wide; axis += 1) at[3 * k + axis] = rows[wide * i + axis];
      const kind = paint.kindOf[i];
      const look = looks.get(kind) ?? lookOf(paint, kind);
      looks.set(kind, look);
      colours.set(look.slice(0, 3), 4 * k);
      colours[4 * k + 3] = pale?.[i] ? 255 * PALE : 255;
      signs[k] = look[3];
    });
    const { gl, program, buffers } = this.gpu;
    for (const [name, values, width] of /** @type {const} */ ([["at", at, 3], ["colour", colours, 4], ["sign", signs, 1]])) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name] ??= gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      const place = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, width === 3 ? gl.FLOAT : gl.UNSIGNED_BYTE, width === 4, 0, 0);
    }
  }

  /** Draws the points, which are `seen` in units, in a frame. @param {SeenRows} seen @param {PointsFrame} frame */
  draw(seen, frame) {
    const { width, height, sharp, camera, left, top, unit, size } = frame;
    const [across, down] = [width, height].map((side) => Math.round(side * sharp));
    if (this.root.width !== across) this.root.width = across;
    if (this.root.height !== down) this.root.height = down;
    if (!this.gpu) return this.#squares(seen, frame);
    const { gl, program } = this.gpu;
    /** @param {string} name */ const uniform = (name) => gl.getUniformLocation(program, name);
    gl.viewport(0, 0, across, down);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniformMatrix3fv(uniform("turn"), false, camera ? camera.matrix : [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const [x, y] = [2 / width, 2 / height];
    gl.uniform4f(uniform("view"), unit * x, unit * y, left * x - 1, 1 - top * y);
    gl.uniform1f(uniform("size"), 2.6 * size * sharp);
    for (const side of camera ? [0, 1] : [1]) {
      gl.uniform1f(uniform("side"), side);
      gl.drawArrays(gl.POINTS, 0, this.order.length);
    }
    return undefined;
  }

  close() {
    this.gpu?.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.root.remove();
  }

  /** @param {SeenRows} seen @param {PointsFrame} frame */ #squares({ x, y, front }, { sharp, left, top, unit, size }) {
    const { paint, order } = this;
    const pen = this.root.getContext("2d");
    if (!pen) return;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, this.root.width, this.root.height);
    for (const i of order) {
      pen.fillStyle = paint.ofKind(paint.kindOf[i]).colour;
      pen.globalAlpha = paint.pale?.[i] ? PALE : front[i] ? 1 : FAINT;
      pen.fillRect(left + unit * x[i] - size, top - unit * y[i] - size, 2 * size, 2 * size);
    }
  }
}

/** What draws on a canvas by WebGL; null where the browser has none. @param {HTMLCanvasElement} canvas @returns {Gpu | null} */
function gpuOf(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, depth: false });
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
