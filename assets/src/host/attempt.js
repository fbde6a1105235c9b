// Every request of a component goes through here, so that nothing stays blank or busy without a word, or for good.

const [SHORTEST, LONGEST] = [500, 30_000]; // ms between two tries
const LATE = 4000; // ms without an answer after which a visitor is told what is missing
const FEW = 3; // tries of what a visitor waits for
/** How long, in ms, a try goes without an answer before it is given up, and another begins. */
export const GIVEN_UP = 60_000;

/** How long to wait, in ms, after so many failures: longer each time, and not the same for all visitors of one server.
 * @param {number} failures */
export function pause(failures, shortest = SHORTEST, longest = LONGEST) {
  return Math.min(shortest * 2 ** (failures - 1), longest) * (0.5 + Math.random() / 2);
}

/** What `act` gives, which is tried again after growing pauses until it gives something, or until it is not `wanted` any more:
 * undefined then. `act` gets the number of failures so far and a signal that aborts. `say` gets a sentence that begins with
 * `what` once there have been two failures or a long wait, and "" when all is well again. After the failure number `most` its
 * error is thrown.
 * @template T @param {(failures: number, signal: AbortSignal) => Promise<T>} act @param {(words: string) => void} say
 * @param {{what?: string, wanted?: () => boolean, most?: number}} options @returns {Promise<T | undefined>} */
export async function attempt(act, say, { what = "This picture", wanted = () => true, most = Infinity } = {}) {
  let warned = false;
  /** @param {string} words */ const tell = (words) => {
    if (!wanted()) return;
    warned = true;
    say(`${what} ${words}`);
  };
  const late = setTimeout(() => tell("is still being loaded…"), LATE);
  try {
    for (let failures = 0;;) {
      try {
        const given = await within(GIVEN_UP, (signal) => act(failures, signal));
        if (warned && wanted()) say("");
        return given;
      } catch (error) {
        failures += 1;
        if (failures >= most) throw error;
        clearTimeout(late);
        if (failures > 1) tell(`could not be loaded (${error.message}). The page goes on trying.`);
        await new Promise((resolve) => setTimeout(resolve, pause(failures)));
        if (!wanted()) return undefined;
      }
    }
  } finally {
    clearTimeout(late);
  }
}

/** What an export needs of the server: tried a few times, since a visitor waits for it; the error of the last one is thrown.
 * @template T @param {(failures: number, signal: AbortSignal) => Promise<T>} act @returns {Promise<T>} */
export function needed(act) {
  return /** @type {Promise<T>} */ (attempt(act, () => {}, { most: FEW }));
}

/** The answer to a request; an error where the server has none, or where a proxy sends a page of its own.
 * @param {string | URL} address @param {AbortSignal} signal */
export async function fetched(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  if (answer.headers.get("Content-Type")?.startsWith("text/html")) throw new Error("a page came instead");
  return answer;
}

/** `make`, whose promise is the same for all who call it; after a failure the next call makes another.
 * @template {unknown[]} A @template T @param {(...given: A) => Promise<T>} make @returns {(...given: A) => Promise<T>} */
export function oncePromised(make) {
  /** @type {Promise<T> | null} */ let promise = null;
  return (...given) =>
    promise ??= make(...given).catch((error) => {
      promise = null;
      throw error;
    });
}

/** A module: a browser remembers that an address failed, so that another try needs another one, for all that it imports too.
 * A file that is cut short may still be a script, but one that exports nothing: exports stand at its end.
 * @param {string} address */
export async function imported(address, failures = 0) {
  const module = await import(failures ? address.replace(/live-assets.[^/]+/, `$&.${Date.now()}`) : address);
  if (!Object.keys(module).length) throw new Error("the script is cut short");
  return module;
}

/** @template T @param {number} ms @param {(signal: AbortSignal) => Promise<T>} act */
async function within(ms, act) {
  const ending = new AbortController();
  let late;
  const over = new Promise((_, reject) => {
    late = setTimeout(() => {
      reject(new Error("the server does not answer"));
      ending.abort();
    }, ms);
  });
  try {
    return await Promise.race([act(ending.signal), over]);
  } finally {
    clearTimeout(late);
  }
}
