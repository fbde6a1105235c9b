import { component } from "../host/mount.js";
import { applyTheme } from "../host/theme.js";
import { PointDrag } from "../scene/point_drag.js";

/** A prediction by dragging: the visitor drags a point to where it will go; then it moves there, and the prediction stays. */
class Predict extends PointDrag {
  /** @param {Host} host */ constructor(host) {
    super((angle) => this.component.setStateValue("angle", angle));
    this.host = host;
    host.append(this.root);
  }

  /** @param {Given<PredictData>} component */ update(component) {
    this.component = component;
    applyTheme(this, component.data);
    this.take(component.data);
  }
}

export const { mount, unmount } = component(Predict, "predict.css");
