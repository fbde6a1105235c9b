import { channels } from "./colours.js";
import { numbers } from "./pdf_path.js";

const KIND = "/Domain [0 1] /FunctionType";

/** A linear gradient over `box`, given in shares of it as Plotly gives those of colour bars, as a shading of PDF. */
export function shading(gradient, box) {
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => share(gradient[name].baseVal));
  const ends = [box.x + x1 * box.width, box.y + y1 * box.height, box.x + x2 * box.width, box.y + y2 * box.height];
  const stops = [...gradient.querySelectorAll("stop")].map((stop) => ({
    at: stop.offset.baseVal,
    colour: numbers(...channels(getComputedStyle(stop).stopColor).slice(0, 3).map((value) => value / 255)),
  }));
  const steps = stops.slice(1).map(({ colour }, k) => `<< ${KIND} 2 /C0 [${stops[k].colour}] /C1 [${colour}] /N 1 >>`);
  const bounds = numbers(...stops.slice(1, -1).map(({ at }) => at));
  const each = steps.map(() => "0 1").join(" ");
  const whole = `<< ${KIND} 3 /Functions [${steps.join(" ")}] /Bounds [${bounds}] /Encode [${each}] >>`;
  return `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [${
    numbers(...ends)
  }] /Extend [true true] /Function ${whole} >>`;
}

function share(length) {
  const { unitType, SVG_LENGTHTYPE_PERCENTAGE, valueInSpecifiedUnits } = length;
  return unitType === SVG_LENGTHTYPE_PERCENTAGE ? valueInSpecifiedUnits / 100 : valueInSpecifiedUnits;
}
