// A loss of proxies on a scene, with the common mistakes, as the room of dml_viz/explain/proxies has it.

/** Values and gradients of Proxy-NCA and Proxy-Anchor at `scene` ({n, dim, z, y, proxies}) under `settings`
 * (dml_viz/explain/proxies/controls.py).
 *
 * Each is {value, weights (n * count), z, proxies: tangent gradients, count: of proxies, pull, push: the largest weight of either
 * kind, unit: a long gradient at a proxy, asks: whose softmax it is, a "sample" or a "proxy"}. `gradient` is that of losses.js.
 * @param {OverlayScene} scene @param {ProxiesOverlay} settings @param {LossGradientOf} gradient */
export function sides(scene, settings, gradient) {
  const { n, dim } = scene;
  const all = scene.proxies.length / dim;
  const count = settings.share === null ? all : Math.max(Math.floor(settings.share * all), 1);
  const proxies = scene.proxies.slice(0, count * dim);
  const given = { ...scene, proxies };
  const strength = 2 * Number(settings.nca.scale) ** 2;
  const present = [...Array(count).keys()].filter((c) => scene.y.includes(c)).length;
  const alpha = Number(settings.anchor.alpha);
  const pull = alpha / Math.max(present, 1);
  const nca = { pull: strength / n, push: strength / n, unit: strength / count, count, asks: "sample" };
  const anchor = { pull, push: alpha / count, unit: pull, count, asks: "proxy" };
  return {
    nca: { ...nca, ...ofNca(given, settings, gradient) },
    anchor: { ...anchor, ...ask(given, "proxy_anchor", settings.anchor, gradient) },
  };
}

// With the wrong sign of distances, every proxy acts as it would at its antipode. Samples without a proxy have no target: they
// add nothing to the sum, and count in its mean.
/** @param {ProxyScene} scene @param {ProxiesOverlay} settings @param {LossGradientOf} gradient */
function ofNca(scene, { nca, wrongSign }, gradient) {
  const { n, dim } = scene;
  const count = scene.proxies.length / dim;
  const turn = wrongSign ? -1 : 1;
  const has = [...Array(n).keys()].filter((i) => scene.y[i] < count);
  /** @param {number} length */ const zeros = (length) => new Float64Array(length);
  const found = { value: 0, weights: zeros(n * count), z: zeros(n * dim), proxies: zeros(count * dim) };
  if (!has.length || count < 2) return found;
  const z = Float64Array.from(has.flatMap((i) => [...scene.z.subarray(i * dim, (i + 1) * dim)]));
  const y = Int32Array.from(has, (i) => scene.y[i]);
  const proxies = scene.proxies.map((x) => turn * x);
  const some = ask({ n: has.length, dim, z, y, proxies }, "proxy_nca", nca, gradient);
  const share = has.length / n;
  has.forEach((i, k) => {
    for (let p = 0; p < count; p += 1) found.weights[i * count + p] = turn * share * some.weights[k * count + p];
    for (let c = 0; c < dim; c += 1) found.z[i * dim + c] = share * some.z[k * dim + c];
  });
  found.value = share * some.value;
  found.proxies = some.proxies.map((x) => turn * share * x);
  return found;
}

/** @param {ProxyScene} scene @param {string} name @param {Record<string, unknown>} knobs @param {LossGradientOf} gradient */
function ask({ n, dim, z, y, proxies }, name, knobs, gradient) {
  const found = gradient(name, { n, dim, z, y, learnt: { proxies } }, knobs);
  return { value: found.value, weights: found.weights, z: found.z, proxies: found.learnt.proxies };
}
