// Built by Wasm/build-scripts from Wasm/polyfill and Wasm/bridge.
(() => {
"use strict";
const {
Blob, Event, FileReader, IntersectionObserver, MutationObserver, Response, WebAssembly, Worker, clearTimeout, createImageBitmap,
fetch, getComputedStyle, matchMedia, performance, setTimeout,
} = (all => all.PureWebPHead ? all.PureWebPHead.own : all)(typeof globalThis === "object" ? globalThis : self);
const isCalledWebP = url => /^([^?#]*\.webp([?#]|$)|data:image\/webp)/i.test(url);
async function permitsBlobs() {
const url = URL.createObjectURL(blobOf(gif));
const isShown = await shows(url);
URL.revokeObjectURL(url);
return isShown;
}
const report = ({ message }) => console.error("pure-webp: WebP images are not shown: " + message);
const release = (url, time = 1000) => url && setTimeout(() => URL.revokeObjectURL(url), time);
const urlOf = image => typeof image === "string" ? image : URL.createObjectURL(image);
const sizeOf = image => image.size || image.length;
const urlIn = ({ url, moving }) => moving && moving.url || url;
class Cache {
constructor(service, options, shown) {
this.service = service;
this.options = options;
this.shown = shown;
this.entries = new Map();
this.evicted = new Set();
this.playing = new Set();
this.bytes = 0;
this.sources = new Map();
this.pinned = new Set();
}
webpAddress(url) {
return this.sources.get(url) || (url && this.options.matches(url) ? url : undefined);
}
get(url, init, element, onPart) {
const key = JSON.stringify(init) + url;
let entry = this.entries.get(key);
const { missing: lack, isLoading, frames, pixels } = entry && entry.url ? entry : {};
const missing = lack && !isLoading && (lack <= this.roomFor(entry, lack) || !frames && screenPixels(element) > pixels) && lack;
if (missing && entry.frames) this.reserve(entry);
else if (missing && !this.isNeeded(entry) || entry && entry.moving && entry.moving.isReleased) entry = this.evict(entry);
if (!entry || entry.hasFailed && onPart) entry = { key, address: url, watchers: [], users: [], pixels: missing || 0 };
if (!entry.complete || entry.moving && !entry.moving.url && !entry.isLoading) entry.complete = this.load(url, init, entry);
if (entry.isLoading) entry.users.push(element);
this.entries.delete(key);
this.entries.set(key, entry);
if (onPart && !entry.url) entry.watchers.push(onPart);
return entry.complete;
}
roomFor(entry, wanted) {
const room = (...images) =>
images.reduce((sum, each) => each === entry ? sum : sum - each.pixels, this.options.shownPixels);
const playing = Array.from(this.playing, ({ moving }) => moving);
const all = room(...this.entries.values(), ...this.evicted, ...playing);
if (all >= wanted) return all;
const shown = this.shown();
this.evicted.forEach(each => each.isLoading || shown.has(each.url) || this.evicted.delete(each));
const entries = Array.from(this.entries.values()).filter(each => each.isLoading || shown.has(each.url) || this.isNeeded(each));
return room(...entries, ...this.evicted, ...playing);
}
reserve(entry) {
entry.moving = { pixels: entry.frames };
entry.missing = undefined;
this.playing.add(entry);
}
rest(entry) {
const { moving } = entry;
if (!moving || !moving.url || this.isNeeded(moving)) return;
if (!moving.isReleased) this.discard(moving, entry);
this.playing.delete(entry);
Object.assign(entry, { moving: undefined, missing: entry.frames });
}
plays(first, pixels, entry) {
if (!entry.url) this.fill(entry, first);
if (!entry.moving) entry.frames = entry.missing = pixels;
entry.watchers.forEach(watch => watch(entry.url));
const isVisibleNow = entry.users.some(user => user.isConnected && isVisible(user));
if (isVisibleNow && entry.missing <= this.roomFor(entry, pixels)) this.reserve(entry);
return !!entry.moving;
}
mostPixels(pixels, entry) {
if (entry.moving) return pixels;
const room = this.roomFor(entry, pixels);
entry.missing = pixels > room ? pixels : undefined;
const divisor = Math.floor(Math.sqrt(pixels / Math.max(...entry.users.map(screenPixels))));
const most = entry.missing ? Math.min(pixels, Math.max(room / 2, 1.02 * pixels / divisor ** 2)) : room;
entry.pixels = Math.min(pixels, most);
return most;
}
fill(entry, image) {
entry.url = urlOf(image);
entry.size = sizeOf(image);
entry.pixels = entry.size / 4;
this.bytes += entry.size;
}
async load(url, init, entry) {
entry.isLoading = true;
try {
const image = await this.service.convert(url, init, this.options.interval, (part, isEmpty) => {
if (!entry.watchers.length) return;
const before = entry.part;
entry.part = urlOf(part);
this.sources.set(entry.part, url);
entry.watchers.forEach(watch => watch(entry.part, isEmpty));
release(before);
}, () => entry.users.some(isVisible), pixels => this.mostPixels(pixels, entry),
(first, pixels) => this.plays(first, pixels, entry));
if (entry.moving) this.fill(entry.moving, image);
else if (image) this.fill(entry, image);
this.trim(entry);
return entry;
} catch (error) {
if (entry.frames) { // it remains at the first one
this.playing.delete(entry);
return Object.assign(entry, { moving: undefined, missing: Infinity });
}
entry.hasFailed = true;
entry.pixels = 0;
if (error.kind === "moduleUnavailable" && !this.hasReported) {
this.hasReported = true;
report(error);
}
this.options.onError(error, url);
throw error;
} finally {
entry.isLoading = false;
Object.assign(entry, { watchers: [], users: [] });
release(entry.part);
}
}
trim(newest) {
for (const entry of this.entries.values()) {
if (this.bytes <= this.options.cacheBytes) return;
const shown = entry.moving || entry;
if (entry === newest || !shown.url || shown.isReleased || this.isNeeded(shown)) continue;
if (entry.moving) this.discard(shown, entry);
else this.evict(entry);
}
}
evict(entry) {
this.entries.delete(entry.key);
this.evicted.add(entry);
this.discard(entry, entry);
}
discard(image, { address }) {
image.isReleased = true;
this.bytes -= image.size;
this.sources.set(image.url, address);
release(image.url);
}
isNeeded({ url }) {
return this.pinned.has(url) || document.querySelector(`[style*="${url}"], link[href="${url}"]`);
}
clear() {
const shown = this.shown();
this.entries.forEach(entry => {
release(entry.part, 0);
if (!shown.has(entry.url) && !this.isNeeded(entry)) release(entry.url, 0);
});
}
}
const sourcesOf = image =>
image.matches("picture > img") ? Array.from(image.parentNode.querySelectorAll("source")) : [];
function attributesOf(image) {
const sets = [image, ...sourcesOf(image)].map(element => ({ element, name: "srcset" }));
return [{ element: image, name: "src" }, ...sets].map(({ element, name }) =>
({ element, name, text: element.getAttribute(name) || "" })).filter(({ text }) => text);
}
function copyOf(image) {
const picture = document.createElement("picture");
const copy = document.createElement("img");
picture.append(...sourcesOf(image).map(source => source.cloneNode()), copy);
for (const name of ["sizes", "srcset", "src"]) {
if (image.hasAttribute(name)) Element.prototype.setAttribute.call(copy, name, image.getAttribute(name));
}
return copy;
}
function split({ name, text }, address) {
if (name === "src") return isAddress(text, address) ? ["", ""] : [text];
const pieces = [];
let end = 0;
text.replace(/([^\s,](?:\S*[^\s,])?)(?:,|\s+(?:\([^)]*\)?|[^,(])*)?/g, (candidate, part, offset) => {
if (!isAddress(part, address)) return;
pieces.push(text.slice(end, offset));
end = offset + part.length;
});
return [...pieces, text.slice(end)];
}
function placesOf(image, address) {
return attributesOf(image).map(place => Object.assign(place, { pieces: split(place, address) }))
.filter(({ pieces }) => pieces.length > 1);
}
class ImageState {
constructor(image, address, given) {
this.address = address;
this.given = this.url = given;
this.isDone = this.hasFailed = false;
this.urls = new Set([given]);
this.places = placesOf(image, given);
for (const place of this.places) place.own = place.text;
}
holds() {
return this.places.every(({ element, name, own }) => element.getAttribute(name) === own);
}
concerns(given, webp = given) {
return this.urls.has(given) || webp === this.address;
}
set(url) {
this.url = url;
this.urls.add(url);
for (const place of this.places) {
place.own = url === this.given ? place.text : place.pieces.join(url);
place.element.setAttribute(place.name, place.own);
}
}
}
class Images {
constructor(page) {
this.page = page;
this.options = page.options;
this.cache = page.cache;
this.states = new WeakMap();
this.visible = new Set();
this.deferred = new WeakMap();
}
shown() {
const urls = new Set();
this.page.connectedRoots().forEach(root => root.querySelectorAll("img").forEach(image =>
attributesOf(image).forEach(({ text }) => text.replace(/blob:[^\s,]+/g, url => urls.add(url)))));
return urls;
}
stop() {
[this.resizing, this.balancing].forEach(clearTimeout);
for (const observer of [this.lazy, this.viewport]) if (observer) observer.disconnect();
document.querySelectorAll("img").forEach(image => {
const state = this.stateOf(image);
if (state && !state.isDone) this.leave(image, state);
});
this.states = new WeakMap();
}
stateOf(image) {
const state = this.states.get(image);
return state && state.holds() ? state : undefined;
}
consider(image) {
if (this.page.isStopped || !this.isNear(image)) return;
Promise.resolve().then(() => {
const given = image.currentSrc || (image.matches("[srcset], picture > img") ? "" : image.src);
if (!given && !image.complete && image.isConnected) setTimeout(() => this.consider(image), 250);
const webp = this.cache.webpAddress(given);
const state = this.stateOf(image);
if (!placesOf(image, given).length || state && state.concerns(given, webp)) return;
const unheard = this.deferred.get(image);
if (webp) this.show(image, given, unheard);
else if (image.complete && !image.naturalWidth) this.sniff(image, given, unheard);
});
}
isNear(image) {
if (image.getAttribute("loading") !== "lazy" || typeof IntersectionObserver !== "function") return true;
if (!this.lazy) {
this.lazy = new IntersectionObserver(entries => entries.forEach(({ isIntersecting, target }) => {
if (!isIntersecting) return;
this.lazy.unobserve(target);
this.near.add(target);
this.consider(target);
}), { rootMargin: "500px" });
this.near = new WeakSet();
}
if (this.near.has(image)) return true;
this.lazy.observe(image);
return false;
}
async show(image, given, unheard) {
const address = this.cache.webpAddress(given) || given;
const before = this.stateOf(image);
if (before && before.address === address && !before.isDone) return;
const state = new ImageState(image, address, given);
state.unheard = unheard;
state.isVisible = before && before.isVisible;
state.isHeard = before && before.isHeard && before.address === address;
this.states.set(image, state);
sourcesOf(image).forEach(({ media }) => media && this.page.applies({ mediaText: media }));
const isCurrent = () => this.stateOf(image) === state;
const set = (url, isEmpty = false) => {
const isFirst = !state.isVisible;
state.set(url);
state.isVisible = !isEmpty;
if (isFirst && !isEmpty && this.options.fade && image.animate && !matchMedia("(prefers-reduced-motion)").matches) {
image.animate([{ opacity: 0 }, { opacity: getComputedStyle(image).opacity }], this.options.fade);
}
};
try {
const entry = await this.cache.get(address, requestOf(image), image, (part, isEmpty) => {
if (isCurrent()) set(part, isEmpty);
});
if (!isCurrent()) return;
state.isDone = true;
state.entry = entry;
state.silent = state.isHeard && urlIn(entry);
if (state.url !== urlIn(entry)) set(urlIn(entry));
else if (state.unheard === "load") image.dispatchEvent(new Event("load"));
if (entry.frames || entry.missing) this.watch(image);
} catch (error) {
state.failure = error;
if (isCurrent()) this.leave(image, state);
}
}
watch(image) {
this.visible.add(image);
if (typeof IntersectionObserver !== "function") return this.balanceSoon();
this.viewport = this.viewport || new IntersectionObserver(records => {
records.forEach(({ isIntersecting, target }) => {
this.visible[isIntersecting ? "add" : "delete"](target);
const { entry } = this.stateOf(target) || {};
if (entry && !isIntersecting) this.replace(target, entry.url);
});
this.balance();
});
this.viewport.unobserve(image);
this.viewport.observe(image);
}
replace(image, url) {
const state = this.stateOf(image);
if (state.url === url) return;
state.silent = state.isHeard && url;
state.set(url);
}
balanceSoon() {
if (this.visible.size + this.cache.playing.size) this.balancing = this.balancing || setTimeout(() => this.balance(), 200);
}
balance() {
this.balancing = undefined;
this.visible.forEach(image => image.isConnected && (this.stateOf(image) || {}).entry || this.visible.delete(image));
const entries = new Set(Array.from(this.visible, image => this.stateOf(image).entry));
this.cache.playing.forEach(entry => entries.has(entry) || this.cache.rest(entry));
let room = this.cache.roomFor(undefined, Infinity);
this.visible.forEach(async image => {
const state = this.stateOf(image);
if (state.entry.missing > room) return;
room -= state.entry.missing || 0;
if (state.entry.missing) {
const entry = await this.cache.get(state.address, requestOf(image), image).catch(() => state.entry);
if (this.stateOf(image) !== state || !this.visible.has(image)) return this.balanceSoon();
state.entry = entry;
}
this.replace(image, urlIn(state.entry));
});
}
leave(image, state) {
state.isDone = state.hasFailed = true;
if (state.url !== state.given) state.set(state.given);
else if (state.unheard) image.dispatchEvent(new Event(state.unheard));
}
async sniff(image, address, unheard) {
const state = new ImageState(image, address, address);
this.states.set(image, state);
state.unheard = unheard;
state.hasFailed = true;
const isWebP = await this.page.service.isWebP(address, requestOf(image));
if (this.stateOf(image) !== state) return;
if (!isWebP) return this.leave(image, state);
this.states.delete(image);
this.show(image, address, state.unheard);
}
hear(image, type) {
const given = image.currentSrc || image.src;
const webp = this.cache.webpAddress(given);
const state = this.stateOf(image);
const isLate = !image.complete || !placesOf(image, given).length;
if (state && state.concerns(given, webp)) {
if (!state.isDone) {
state.unheard = type;
return true;
}
if (state.hasFailed) return false;
const isOwn = type === "error" && state.unheard !== type && image.naturalWidth;
if (isOwn) state.unheard = type;
if (isLate || isOwn) return true;
if (given === state.url && (type === "load" || !webp)) {
const isSilent = type === "load" && given === state.silent;
Object.assign(state, { isHeard: true, silent: undefined });
return isSilent;
}
}
if (type === "load" && !webp) {
this.states.delete(image);
return false;
}
if (isLate) return !!webp && webp !== given;
if (image.isConnected && !this.isNear(image)) this.deferred.set(image, type);
else if (webp) this.show(image, given, type);
else this.sniff(image, given, type);
return true;
}
reselectSoon() {
clearTimeout(this.resizing);
this.resizing = setTimeout(() => this.reselect(), 200);
}
reselect(images = document.querySelectorAll("img")) {
images.forEach(image => {
if (!image.matches("[srcset], picture > img") || !this.hasWebP(image) || !this.isNear(image)) return;
const before = this.states.get(image);
const copy = copyOf(image);
for (const type of ["load", "error"]) listen(copy, type, () => {
const given = copy.currentSrc;
const webp = this.cache.webpAddress(given);
const state = this.stateOf(image);
if (webp && this.states.get(image) === before && !(state && state.concerns(given, webp))) this.show(image, given);
});
});
}
hasWebP(image) {
return attributesOf(image).some(({ text }) =>
text.split(/[\s,]+/).some(part => this.cache.webpAddress(absolute(part))));
}
}
const attributes = {
__proto__: null, input: ["src"], video: ["poster"], image: ["href", "xlink:href"], object: ["data"], embed: ["src"],
iframe: ["src"], link: ["href"], feImage: ["href", "xlink:href"],
};
for (const name of ["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]) attributes[name] = ["background"];
class Page {
constructor(options) {
this.options = options;
this.service = options.service;
this.cache = new Cache(this.service, options, () => this.images.shown());
this.images = new Images(this);
this.sheets = new StyleSheets(this);
this.media = new Map();
this.shadows = new WeakMap();
this.roots = new Set();
this.realms = new WeakSet();
this.onmedia = () => {
this.sheets.scan();
this.images.reselectSoon();
};
this.onheard = event => {
if (!this.isStopped && this.hear(event.target, event.type)) event.stopImmediatePropagation();
};
this.onresize = () => this.images.reselectSoon();
}
start() {
storeBase();
document.addEventListener("load", this.onheard, true);
addEventListener("error", this.onheard, true);
addEventListener("resize", this.onresize);
this.observer = new MutationObserver(records => this.changed(records));
this.observe(document);
this.patch();
this.scan(document);
this.adoptAll(document);
this.sheets.scan();
}
observe(root) {
this.observer.observe(root, {
childList: true, subtree: true, attributes: true,
attributeFilter: [
"src", "srcset", "sizes", "style", "class", "id", "media", "poster", "href", "data", "background",
],
});
}
enter(given) {
try {
const realm = given.defaultView || given;
const { prototype } = realm.HTMLImageElement;
if (this.isStopped || this.realms.has(prototype)) return;
this.realms.add(prototype);
this.undo.push(tapImages(realm, image =>
image.isConnected || ["error", "load"].forEach(type => listen(image, type, this.onheard))));
} catch (error) {
}
}
patch() {
const page = this;
const undo = this.undo = [];
const wrap = (owner, name, make) => {
const own = owner && owner[name];
if (!own) return;
const wrapped = owner[name] = make(own);
undo.push(() => { if (owner[name] === wrapped) owner[name] = own; });
};
this.enter(window);
undo.push(tap(HTMLIFrameElement.prototype, ["contentDocument", "contentWindow"], (_, given) => this.enter(given)));
wrap(Element.prototype, "animate", animate => function (keyframes, ...values) {
const animation = animate.call(this, keyframes, ...values);
page.sheets.reanimate(animation, keyframes);
return animation;
});
wrap(Element.prototype, "attachShadow", attach => function (...values) {
const root = attach.apply(this, values);
page.adopt(root);
return root;
});
undo.push(tap(SVGAnimatedString.prototype, ["baseVal"], (_, value, isSet) => {
if (isSet && page.cache.webpAddress(absolute(value))) Promise.resolve().then(() => page.visitSVG());
}));
for (const name of ["insertRule", "replace", "replaceSync"]) {
wrap(CSSStyleSheet.prototype, name, change => function (...values) {
page.sheets.scanSoon();
return change.apply(this, values);
});
}
}
adoptAll(root) {
root.querySelectorAll("*").forEach(element => this.adopt(element.shadowRoot));
}
adopt(root) {
if (!root || this.isStopped || this.shadows.has(root.host)) return;
this.shadows.set(root.host, root);
this.roots.add(root);
for (const type of ["load", "error"]) {
root.addEventListener(type, this.onheard, true);
this.undo.push(() => root.removeEventListener(type, this.onheard, true));
}
this.observe(root);
this.adoptAll(root);
this.scan(root);
this.sheets.scanSoon();
}
stop() {
this.isStopped = true;
document.removeEventListener("load", this.onheard, true);
removeEventListener("error", this.onheard, true);
removeEventListener("resize", this.onresize);
this.undo.forEach(undo => undo());
this.observer.disconnect();
this.media.forEach(query => query.removeListener(this.onmedia));
this.sheets.stop();
this.service.stop();
this.images.stop();
this.cache.clear();
}
scan(node) {
this.visit(node);
if (!node.querySelectorAll) return;
node.querySelectorAll(
"img, input, video, image, feImage, object, embed, iframe, link, [style], [background]",
).forEach(element => this.visit(element));
}
visitSVG() {
this.connectedRoots().forEach(root => root.querySelectorAll("image, feImage").forEach(image => this.visit(image)));
}
visit(element) {
const name = element.localName;
if (name === "img") this.images.consider(element);
if (name === "iframe") this.enter(element.contentWindow);
if (/^(image|feImage)$/.test(name)) this.observer.observe(element, { attributes: true });
if (attributes[name]) attributes[name].forEach(attribute => this.replaceAttribute(element, attribute));
this.sheets.restyleElement(element);
if (this.shadows.has(element)) this.roots.add(this.shadows.get(element));
}
changed(records) {
storeBase();
this.images.balanceSoon();
let sheets = false;
for (const record of records) {
const { target, attributeName } = record;
if (attributeName === "style") {
this.sheets.restyleSoon(target);
continue;
}
if (attributeName === "class" || attributeName === "id") {
sheets = true;
continue;
}
const holder = target.localName === "source" && target.parentNode || target;
if (target.localName === "picture" || attributeName === "media") this.images.reselect(holder.querySelectorAll("img"));
if (attributeName === "media") {
sheets = true;
} else if (attributeName) {
if (attributeName === "sizes") this.images.reselectSoon();
this.visit(holder.querySelector("img") || target);
} else {
const { addedNodes } = record;
sheets = sheets || target.localName === "style" || Array.from(addedNodes).some(node => node.localName);
addedNodes.forEach(node => this.scan(node));
}
}
if (sheets) this.sheets.scanSoon();
}
hear(element, type) {
if (/^(link|style)$/.test(element.localName)) this.sheets.scan();
if (element.localName !== "img") return false;
if (/pure-webp-sample\.webp/.test(element.src)) return false;
return this.images.hear(element, type);
}
async replaceAttribute(element, name) {
const text = element.getAttribute(name);
if (!text || element.localName === "link" && !/\bicon\b/i.test(element.rel)) return;
const address = this.cache.webpAddress(absolute(text));
if (!address) return;
try {
const url = urlIn(await this.cache.get(address, requestOf(element), element));
if (element.getAttribute(name) !== text) return;
if (element.type === "image/webp" || /^(object|embed)$/.test(element.localName)) element.type = "image/png";
if (name === "poster") element.removeAttribute(name);
element.setAttribute(name, url);
if (name === "data") this.restoreAfterError(element, url);
} catch (error) {
}
}
restoreAfterError(object, url) {
const restore = () => object.getAttribute("data") === url && object.setAttribute("data", url);
object.addEventListener("error", restore, { once: true });
}
connectedRoots() {
this.roots.forEach(root => root.host.isConnected || this.roots.delete(root));
return [document, ...this.roots];
}
applies({ mediaText }) {
let query = this.media.get(mediaText);
if (!query) {
this.media.set(mediaText, query = matchMedia(mediaText));
query.addListener(this.onmedia);
}
return query.matches;
}
}
const shorthands = ["background", "border-image", "list-style", "mask", "-webkit-mask"];
class StyleSheets {
constructor(page) {
this.page = page;
this.cache = page.cache;
this.plain = new WeakMap();
this.scanTime = 0;
this.animated = new Set();
this.styled = new Set();
this.restyleTime = 0;
}
stop() {
clearTimeout(this.pending);
}
scanSoon() {
if (this.pending || this.page.isStopped) return;
this.pending = setTimeout(() => {
this.pending = 0;
this.scan();
}, Math.max(50, 20 * this.scanTime));
}
scan() {
const start = performance.now();
this.cache.pinned.clear();
this.animated.forEach(url => this.cache.pinned.add(url));
for (const root of this.page.connectedRoots()) {
const sheets = Array.from(root.styleSheets || []).concat(Array.from(root.adoptedStyleSheets || []));
sheets.forEach(sheet => this.scanSheet(sheet, root));
}
this.scanTime = performance.now() - start;
}
scanSheet(sheet, root, base, isOn = true) {
try {
this.scanRules(sheet.cssRules, root, sheet.href || base, isOn && this.page.applies(sheet.media));
} catch (error) {
}
}
scanRules(rules, root, base, isOn) {
for (const rule of Array.from(rules || [])) {
const applies = isOn && (!rule.media || this.page.applies(rule.media));
if (rule.styleSheet) this.scanSheet(rule.styleSheet, root, base, applies);
else if (rule.cssRules && rule.cssRules.length) this.scanRules(rule.cssRules, root, base, applies);
const { style } = rule;
if (!style || this.plain.get(rule) === style.length) continue;
const text = style.cssText;
if (!mayHaveImage.test(text)) this.plain.set(rule, style.length);
text.replace(/blob:[^")]+/g, url => this.cache.pinned.add(url));
if (applies && this.isUsed(rule.selectorText, root)) this.restyle(style, base);
}
}
isUsed(selector, root) {
if (/:host|::slotted/.test(selector)) return true;
const changing = /\\.|\[[^\]]*\]|::?[\w-]+(\([^)]*\))?|&/g;
const lasting = (selector || "").replace(changing, part => part[0] === "\\" ? part : "");
try {
return !!root.querySelector(lasting.trim() || "*");
} catch (error) {
return true;
}
}
restyleSoon(element) {
this.styled.add(element);
if (this.styled.size > 1) return;
const restyle = () => {
const start = performance.now();
this.styled.forEach(each => this.restyleElement(each));
this.styled.clear();
this.restyleTime = 41 * performance.now() - 40 * start;
};
const wait = this.restyleTime - performance.now();
if (wait > 0) setTimeout(restyle, wait);
else Promise.resolve().then(restyle);
}
restyleElement(element) {
if (element.style && mayHaveImage.test(element.getAttribute("style"))) this.restyle(element.style);
}
restyle(style, base) {
for (const name of Array.from(style).concat(shorthands)) {
const value = style.getPropertyValue(name);
const conversion = this.converted(value, base);
if (conversion) conversion.then(replaced => {
if (replaced !== value && style.getPropertyValue(name) === value) {
style.setProperty(name, replaced, style.getPropertyPriority(name));
}
});
}
}
reanimate({ effect }, keyframes) {
const text = [].concat(keyframes).map(frame => Object.values(frame || {}).join()).join();
const frames = mayHaveImage.test(text) && effect && effect.setKeyframes ? effect.getKeyframes() : [];
const changes = [];
for (const frame of frames) {
for (const name of Object.keys(frame)) {
const conversion = this.converted(frame[name], undefined, this.animated);
if (conversion) changes.push(conversion.then(value => { frame[name] = value; }));
}
}
if (changes.length) Promise.all(changes).then(() => effect.setKeyframes(frames));
}
converted(value, base, retained = new Set()) {
if (!mayHaveImage.test(value)) return undefined;
const addresses = new Map();
for (const text of imagesIn(value)) {
const address = this.cache.webpAddress(absolute(text, base || document.baseURI));
if (address) addresses.set(text, address);
}
if (!addresses.size) return undefined;
const urls = new Map();
const images = Array.from(addresses, ([text, address]) =>
this.cache.get(address, requestOf({}), document.documentElement).then(entry => {
const url = urlIn(entry);
retained.add(url);
this.cache.pinned.add(url);
urls.set(text, url);
}, () => {}));
return Promise.all(images).then(() => withImages(value, urls));
}
}
const requestOf = ({ crossOrigin, referrerPolicy, fetchPriority }) => ({
credentials: crossOrigin === "use-credentials" ? "include" : "same-origin", referrerPolicy, priority: fetchPriority,
});
function isVisible(element) {
const { top, bottom, left, right } = element.getBoundingClientRect();
return bottom >= 0 && right >= 0 && top <= innerHeight && left <= innerWidth;
}
function screenPixels(element) {
const { width, height } = element.getBoundingClientRect();
const side = Math.max(width, height);
const viewport = innerWidth * innerHeight;
return Math.min(side > 32 ? side ** 2 : viewport, viewport) * devicePixelRatio ** 2;
}
let anchor;
function absolute(text, base) {
if (!base) {
anchor = anchor || document.createElement("a");
anchor.href = text;
return anchor.href;
}
try {
return new URL(text, base).href;
} catch (error) {
return null;
}
}
const bases = [];
function storeBase() {
if (bases[0] !== document.baseURI) bases.unshift(document.baseURI);
bases.length = Math.min(bases.length, 9);
}
const isAddress = (text, address) =>
absolute(text) === address || bases.some(base => absolute(text, base) === address);
const mayHaveImage = /url\(|image-set\(/i;
const quoted = String.raw`"([^"\\]*(?:\\[^][^"\\]*)*)"|'([^'\\]*(?:\\[^][^'\\]*)*)'`;
const tokens = new RegExp(
String.raw`url\(\s*(?:${quoted}|([^"'()\\]*(?:\\[^][^"'()\\]*)*))\s*\)|${quoted}|/\*[^]*?\*/|[-\w]+`, "gi");
function unescaped(text) {
return text.replace(/\\(?:([\da-f]{1,6})(?:\r\n|\s)?|\r\n|[\n\r\f]|([^]))/gi, (all, digits, character = "") => {
const code = parseInt(digits, 16);
const isValid = code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
return digits ? String.fromCodePoint(isValid ? code : 0xfffd) : character;
});
}
function mapped(value, change) {
const inSet = /image-set\(/i.test(value);
return value.replace(tokens, (all, ...groups) => {
const text = groups.slice(0, inSet ? 5 : 3).find(group => group !== undefined);
return text === undefined ? all : change(unescaped(text), all);
});
}
function imagesIn(value) {
const found = [];
mapped(value, address => found.push(address));
return found;
}
const withImages = (value, urls) =>
mapped(value, (address, all) => urls.has(address) ? `url("${urls.get(address)}")` : all);
const webp = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";
const gif = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";
const blobOf = (text, type) => new Blob([Uint8Array.from(atob(text), character => character.charCodeAt(0))], { type });
const shows = url => new Promise(done => {
const image = document.createElement("img");
image.onload = image.onerror = () => done(image.width === 1);
image.src = url;
});
const decodes = text => createImageBitmap(blobOf(text)).then(() => true, () => false);
async function detect(address) {
const tests = window.createImageBitmap
? [decodes(webp), decodes(gif)] : [shows(address("webp")), shows(address("gif"))];
const [isShown, hasControl] = await Promise.all(tests);
return isShown || (hasControl ? false : undefined);
}
function tap(prototype, names, call) {
const parent = Object.getPrototypeOf(prototype);
const undo = names.map(name => {
const own = Object.getOwnPropertyDescriptor(prototype, name);
const owner = Object.create(parent, own ? { [name]: own } : {});
const get = function () {
const value = Reflect.get(owner, name, this);
if (this !== prototype) call(this, value, false);
return value;
};
const set = function (value) {
call(this, value, true);
Reflect.set(owner, name, value, this);
};
Object.defineProperty(prototype, name, { configurable: true, enumerable: true, get, set });
return () => {
if ((Object.getOwnPropertyDescriptor(prototype, name) || {}).get !== get) return;
if (own) Object.defineProperty(prototype, name, own);
else delete prototype[name];
};
});
return () => undo.forEach(each => each());
}
const tapImages = ({ HTMLImageElement }, call) =>
tap(HTMLImageElement.prototype, ["addEventListener", "onload", "onerror", "setAttribute", "src", "srcset"], call);
const listen = (image, type, listener) => EventTarget.prototype.addEventListener.call(image, type, listener);
const sized = (width, height) =>
"data:image/svg+xml;base64," + btoa(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`);
function contentsOf(url) {
const [, type, text] = /^data:(.*?);base64,(.*)$/.exec(url);
return blobOf(text, type);
}
const token = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
class AppService {
constructor(post) {
this.post = post;
this.requests = new Map();
this.last = 0;
this.sniffed = new Map();
this.page = token();
addEventListener("pageshow", event => {
if (!event.persisted) return;
this.page = token();
this.requests.forEach(({ url }, id) => this.send(id, url));
});
}
send(id, url) {
this.post({ page: this.page, id, url });
}
answer(page, id, kind, ...values) {
const request = this.requests.get(id);
if (page !== this.page || !request) return;
if (kind !== "size") this.requests.delete(id);
request[kind](...values);
}
convert(url, credentials, interval, onPart) {
const sniffed = this.sniffed.get(url);
this.sniffed.delete(url);
return sniffed || this.request(url, onPart);
}
async request(url, onPart) {
this.permitsBlobs = this.permitsBlobs || permitsBlobs();
const imageOf = await this.permitsBlobs ? contentsOf : url => url;
return imageOf(await new Promise((source, failure) => {
const id = ++this.last;
const size = (width, height) => onPart(imageOf(sized(width, height)), true);
this.requests.set(id, { url, source, failure: reason => failure(new Error(reason)), size });
this.send(id, url);
}));
}
async isWebP(url) {
if (url.startsWith("blob:")) return false;
const image = this.request(url, () => {});
this.sniffed.set(url, image);
return image.then(() => true, () => {
this.sniffed.delete(url);
return false;
});
}
stop() {
this.requests.clear();
}
}
function mainScript() {
try {
return top.PureWebPBridge;
} catch (error) {
return undefined;
}
}
window.PureWebPBridge = window.PureWebPBridge || {
start(handler, fade) {
if (this.service) return;
const main = mainScript();
this.service = main === this
? new AppService(request => webkit.messageHandlers[handler].postMessage(request)) : main && main.service;
if (!this.service) return;
new Page({
matches: isCalledWebP, fade, cacheBytes: 1 << 24, service: this.service, onError() {},
}).start();
},
answer(...values) {
this.service.answer(...values);
},
};
})();
