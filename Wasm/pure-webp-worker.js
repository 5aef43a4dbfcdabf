// The polyfill's worker: a message for each picture, and for each what `convert` answers.
importScripts("pure-webp-core.js");
onmessage = event => PureWebPCore.convert(event.data, message => postMessage(message));
