// The polyfill's worker, which Wasm/build appends to pure-webp-core.js. The page's first message has the decoder's address. Then
// it sends a job for each image and gets the messages of `convert`. For the file, the worker sends {id, ask, values}; the
// page answers {id, value, most}, or {id, message} after an error.
const asked = new Map();

/** Sends a message. Decoded pixels are moved to the page. */
function send(message) {
  const { data } = message.done || {};
  postMessage(message, data ? [data.buffer] : []);
}

onmessage = ({ data }) => {
  const { id, wasm, isLarge } = data;
  if (wasm) {
    PureWebPCore.wasm = wasm;
    if (isLarge) PureWebPCore.Codec.retainedMemory = Infinity; // the page ends the worker
    PureWebPCore.load().catch(() => {}); // the jobs report errors
    return postMessage({ isStarted: true, version: PureWebPCore.version });
  }
  if (asked.has(id)) return asked.get(id)(data);
  const source = {};
  const ask = (what, ...values) => new Promise((resolve, reject) => {
    asked.set(id, ({ value, most, message }) => {
      source.most = most;
      if (message === undefined) resolve(value);
      else reject(new Error(message));
    });
    postMessage({ id, ask: what, values });
  });
  for (const name of ["read", "retry", "plays"]) source[name] = (...values) => ask(name, ...values);
  PureWebPCore.convert(data, source, send).then(() => asked.delete(id));
};
