import { SceneOverlay } from "./overlay.js";
import { lengths } from "../../draw/rows.js";
import { precise } from "../../draw/words.js";
import { ownGradient, queries } from "../own_term.js";

/** Of FastAP's page and others that draw the arrows of one loss.
 * @typedef {{
 *   loss?: string, edges?: boolean, ofQuery?: boolean, instead?: string,
 * }} ArrowSettings */

/** Where each point should go to lower one loss, as arrows along -gradient, and the query's pairs, as wide as they weigh.
 *
 * The loss is the first of the page's, or the one that settings.loss names; settings.edges false leaves the pairs out.
 * settings.ofQuery draws the arrows of the query's own term; where settings.instead is a sentence, it replaces all arrows.
 * @extends {SceneOverlay<SceneSeen<ArrowSettings>>} */
export class ArrowsDrawing extends SceneOverlay {
  /** @param {SceneSeen<ArrowSettings>} seen */
  paint({ scene, settings, losses, picked, gradients }) {
    const { tools } = this;
    const name = settings.loss ?? Object.keys(gradients)[0];
    const found = gradients[name];
    if (settings.instead) tools.note(settings.instead);
    else if (found) {
      const to = losses[name].proxies ? scene.proxies : scene.z;
      /** Weights are dL/ds: of the rows with each other, or with the proxies, one for each class. @param {number} j */
      const same = (j) => scene.y[picked[0]] === (to === scene.z ? scene.y[j] : j);
      /** @param {boolean} positive */ const dash = (positive) => (positive ? "" : "5 4");
      if (settings.edges !== false && found.weights) this.edges(scene, picked[0], to, found.weights, same, dash);
      const gradient = settings.ofQuery ? ownGradient(scene, picked[0], found.weights, { terms: queries(scene) }) : found.z;
      tools.arrows(this.above, scene.z, gradient, -tools.scale(gradient));
      const [of, whose] = settings.ofQuery ? [" of the batch", " of this query"] : ["", ""];
      const longest = Math.max(...lengths(gradient, scene.dim));
      tools.note(`Loss${of} ${precise(found.value)}; longest gradient${whose} ${precise(longest)}.`);
    }
  }
}
