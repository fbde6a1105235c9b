import { FEED } from "../host/bus.js";
import { decode } from "../runs/packing.js";

/** Passes a message that came with Streamlit's own to the live picture of the same address. @param {{data: Uint8Array}} given */
export function mount({ data }) {
  /** @type {Message<FeedData>} */ const { header, arrays } = decode(data);
  const { message, points } = /** @type {Record<string, Uint8Array>} */ (arrays);
  window.dmlFeed = { url: header.url, step: header.step, message, points };
  FEED.send(window.dmlFeed);
}

/** Nothing is held. */
export function unmount() {}
