import { bytesHeld, lossesHeld } from "../store.js";

// In place of host/attempt.js: what a page requests lies in a lesson's file.

export { attempt, GIVEN_UP, needed, oncePromised, pause } from "../../host/attempt.js";

/** The answer to a request for a run, by its name in the file. @param {string | URL} address */
export async function fetched(address) {
  return new Response(await bytesHeld(new URL(address).pathname));
}

/** The only module that a page asks for by itself: the losses. @param {string} _address */
export async function imported(_address) {
  return lossesHeld();
}
