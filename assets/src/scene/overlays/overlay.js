/** What the drawing of a page on the edited scene has: tools, and two pens, below and above the points. */
export class SceneOverlay {
  constructor(layers, tools) {
    this.tools = tools;
    this.below = tools.pen(layers.below);
    this.above = tools.pen(layers.above);
  }

  /** Draws a frame of what the editor shows. */
  draw(shown) {
    this.paint(shown);
    this.below.done();
    this.above.done();
  }

  /** Draws with both pens. */
  paint(_shown) {}
}
