// The polyfill's worker, which Wasm/build appends to pure-webp-core.js. The page sends a message for each image and gets
// the messages of `convert`. For the file, the worker sends {id, ask} and the page {id, piece}, or {id, message} after an
// error.
const asked = new Map();

/** Sends a message. Decoded pixels, and the parts of a PNG, are moved to the page. */
const send = message => postMessage(message, [].concat(message.done || []).map(({ data, buffer }) => buffer || data.buffer));

onmessage = ({ data }) => {
  const { id, wasm } = data;
  if (asked.has(id)) return asked.get(id)(data);
  PureWebPCore.wasm = wasm;
  postMessage({ id, isStarted: true });
  const ask = what => new Promise((resolve, reject) => {
    asked.set(id, ({ piece, message }) => message === undefined ? resolve(piece) : reject(new Error(message)));
    postMessage({ id, ask: what });
  });
  const source = { open: () => ask("open"), read: () => ask("read") };
  PureWebPCore.convert(data, source, send).then(() => asked.delete(id));
};
