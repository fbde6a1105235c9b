import { save } from "../draw/save.js";
import { takenFile } from "../export/take.js";
import { button, element, say } from "../draw/panel.js";
import { component } from "../host/mount.js";
import { applyTheme } from "../host/theme.js";

/** A button that saves the page, or its lesson, as one file. */
class Take {
  /** @type {Look | null} */ look = null;

  /** @param {Host} host */ constructor(host) {
    this.host = host;
    this.status = element("span", { class: "dml-share-status", role: "status" });
    this.act = button(() => this.#save(), { class: "dml-share-act" });
    this.root = element("div", { class: "dml-share-row" }, this.act, this.status);
    host.append(element("div", { class: "dml-share-take" }, this.root));
  }

  /** @param {Given<TakeData>} component */ update({ data }) {
    this.data = data;
    applyTheme(this, data);
    say(this.act, data.label);
  }

  async #save() {
    const { address, file } = this.data;
    this.act.disabled = true;
    say(this.status, "The file is being made…");
    try {
      save(new Blob([await takenFile(address)], { type: "text/html" }), file);
      say(this.status, `${file} saved`);
    } catch (error) {
      say(this.status, `The file could not be made: ${error.message}`);
    } finally {
      this.act.disabled = false;
    }
  }
}

export const { mount, unmount } = component(Take, "share.css");
