// What encodes moving pictures, loaded when the first one is asked for.
export { applyPalette, GIFEncoder, quantize } from "gifenc";
export {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_MEDIUM,
  WebMOutputFormat,
} from "mediabunny";
