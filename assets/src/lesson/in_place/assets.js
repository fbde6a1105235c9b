import { bytesHeld, holds } from "../store.js";

// In place of host/assets.js: a lesson's file asks no server, and has its styles in its head.

/** Below which a lesson's file keeps its files; nothing is ever loaded from there. */
export const ASSETS = new URL("lesson:/");

/** The style sheets are there. @param {string} _name */
export function stylesheet(_name) {
  return Promise.resolve();
}

/** Refused: no program and no page lies in a lesson's file. @param {string | URL} address */
export function textOf(address) {
  return Promise.reject(new Error(`this file does not hold ${address}`));
}

/** Refused, like a text. @param {string} name */
export function builtLibrary(name) {
  return textOf(name);
}

/** Whether there is the file. @param {string} name */
export function hasFile(name) {
  return holds(name);
}

/** The promise of its bytes. @param {string} name */
export function bytesOf(name) {
  return bytesHeld(name);
}
