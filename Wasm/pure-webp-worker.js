// The polyfill's worker: a message for each picture, and for each what `convert` answers. The page is asked for the
// file, {id, ask}, and for its pieces, and tells {id, piece}, or {id, message} of an error.
importScripts("pure-webp-core.js");
const asked = new Map();

onmessage = ({ data }) => {
  const { id, simd } = data;
  if (asked.has(id)) return asked.get(id)(data);
  PureWebPCore.simd = simd;
  const ask = what => new Promise((resolve, reject) => {
    asked.set(id, ({ piece, message }) => message === undefined ? resolve(piece) : reject(new Error(message)));
    postMessage({ id, ask: what });
  });
  const source = { open: () => ask("open"), read: () => ask("read") };
  PureWebPCore.convert(data, source, message => postMessage(message)).then(() => asked.delete(id));
};
