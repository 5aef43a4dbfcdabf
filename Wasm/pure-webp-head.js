// For the <head> of a page whose images have fallbacks. It defers the `error` events of WebP images until the polyfill
// runs, which takes them over. Without it, the page receives them when polyfill() has ended, or ten seconds after its
// `load`.
var PureWebPHead = (function () {
  var held = [];
  var next = hold;
  var Original = Image;
  function hear(event) { next(event); }
  function hold(event) {
    var image = event.target;
    if (!/^([^?#]*\.webp([?#]|$)|data:image\/webp)/i.test(image.currentSrc)) return;
    event.stopImmediatePropagation();
    held.push(image);
  }
  // Images outside of the document have no other listener that the polyfill could use.
  function Wrapped(width, height) {
    var image = new Original(width, height);
    image.addEventListener("error", hear);
    return image;
  }
  Wrapped.prototype = Original.prototype;
  function take(listener) {
    removeEventListener("error", hear, true);
    if (window.Image === Wrapped) window.Image = Original;
    next = listener;
    return held.splice(0);
  }
  function release() {
    if (next === hold) take(function () {}).forEach(function (image) {
      if (image.complete && !image.naturalWidth) image.dispatchEvent(new Event("error"));
    });
  }
  addEventListener("error", hear, true);
  window.Image = Wrapped;
  addEventListener("load", function () { setTimeout(release, 10000); });
  return { take: take, release: release };
})();
