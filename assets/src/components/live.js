import { Picture } from "./picture.js";
import { stylesheet } from "../kit/plotly.js";

/** Shows a live, recorded or fed run in the component's node; called again at each rerun, it only takes the new data. */
export function mount(component) {
  const host = component.parentElement;
  host.dmlNewest = component;
  host.dmlOpening ??= open(host);
  host.dmlPicture?.update(component);
}

/** Closes the picture when its node has left the page; Streamlit also calls cleanups of earlier reruns. */
export function unmount(host) {
  if (host.isConnected) return;
  host.dmlPicture?.close();
  host.dmlPicture = host.dmlOpening = null;
}

async function open(host) {
  await stylesheet("live.css");
  if (!host.isConnected) return unmount(host);
  host.dmlPicture = new Picture(host);
  return host.dmlPicture.update(host.dmlNewest);
}
