import { component } from "../host/mount.js";
import { button, element, say } from "../draw/panel.js";
import { applyTheme, themeOfVisitor } from "../host/theme.js";

const STATUS_STAYS = 2000; // ms that "Copied" is shown
const LONGEST_READ = 90; // characters of a link that are worth reading off a wall

/** Links to be copied and their QR code; tells Python which colours the visitor has chosen. */
class Share {
  /** @param {Host} host */ constructor(host) {
    this.host = host;
    this.link = new Line("Link");
    this.short = new Line("Short form, for slides");
    this.large = new Large();
    const open = () => this.large.open();
    this.code = element("img", { class: "dml-share-code", onclick: open });
    const show = button(open, { class: "dml-share-act" }, "Show it large");
    this.save = element("a", { class: "dml-share-act", download: "dml-viz-qr.svg" }, "Save as SVG");
    this.none = element("p", {}, "The link is longer than a QR code can be.");
    this.acts = element("div", { class: "dml-share-acts" }, show, this.save);
    const right = element("div", { class: "dml-share-codes" }, this.code, this.acts, this.none);
    const left = element("div", { class: "dml-share-lines" }, this.link.root, this.short.root);
    this.root = element("div", { class: "dml-share" }, left, right, this.large.root);
    host.append(this.root);
  }

  /** @param {Given<ShareData>} component */ update(component) {
    const { link, short, code, palette, theme } = component.data;
    applyTheme(this, { palette, theme });
    this.link.show(link);
    this.short.show(short);
    this.short.root.hidden = !short;
    for (const node of [this.code, this.acts]) node.hidden = !code;
    this.none.hidden = Boolean(code);
    this.code.src = this.save.href = code;
    this.code.alt = `QR code of ${short || link}`;
    this.large.show(code, short || link);
    if (this.sent) return;
    this.sent = true;
    const colours = themeOfVisitor();
    if (colours) component.setStateValue("colours", colours);
  }
}

/** A link in a line, with a button that copies it. */
class Line {
  /** @param {string} label */ constructor(label) {
    /** @returns {void} */ const onfocus = () => this.field.select();
    this.field = element("input", { readonly: true, "aria-label": label, spellcheck: "false", onfocus });
    this.status = element("span", { class: "dml-share-status", role: "status" });
    const copy = button(() => this.#copy(), { class: "dml-share-act" }, "Copy");
    const row = element("div", { class: "dml-share-row" }, this.field, copy);
    this.root = element("div", {}, element("span", { class: "dml-share-label" }, label, this.status), row);
  }

  /** @param {string} text */ show(text) {
    if (this.field.value !== text) this.field.value = text;
  }

  async #copy() {
    const copied = await copy(this.field);
    say(this.status, copied ? "copied" : "press Ctrl+C to copy");
    setTimeout(() => say(this.status, ""), STATUS_STAYS);
  }
}

/** The QR code over the whole window, to be photographed from the last row. */
class Large {
  constructor() {
    /** @returns {void} */ const onclick = () => this.root.close();
    this.image = element("img", { alt: "", onclick });
    this.words = element("p");
    /** Escape closes this code, not the dialog below it. @param {KeyboardEvent} event */
    const onkeydown = (event) => event.key === "Escape" && event.stopPropagation();
    const close = button(onclick, { class: "dml-share-act" }, "Close");
    const attributes = { class: "dml-share-large", "aria-label": "QR code", onkeydown };
    this.root = element("dialog", attributes, this.image, this.words, close);
  }

  /** @param {string} code @param {string} link */ show(code, link) {
    this.image.src = code;
    const words = link.replace(/^https?:\/\//, "");
    this.words.textContent = words.length > LONGEST_READ ? "" : words;
  }

  open() {
    this.root.showModal();
  }
}

/** Without https a browser has no clipboard for scripts; the selection can still be copied. @param {HTMLInputElement} field */
async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

export const { mount, unmount } = component(Share, "share.css");
