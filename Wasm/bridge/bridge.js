// The script of WebPScriptBridge in WebPWebView, which shows WebP in the pages of an app's web view. The page is the same
// as the polyfill's; the app converts the images.
import { isCalledWebP } from "../core/names.js";
import { Page } from "../polyfill/Page.js";
import { AppService } from "./AppService.js";

/** Returns the script of the view's page, which alone can communicate with the app, or undefined for another origin. */
function mainScript() {
  try {
    return top.PureWebPBridge;
  } catch (error) {
    return undefined;
  }
}

window.PureWebPBridge = window.PureWebPBridge || {
  /**
   * Shows the WebP images of the page. A frame uses the service of the view's page.
   *
   * - `handler`: the name of the message handler.
   * - `fade`: the duration of the fade-in in milliseconds, or 0 for none.
   */
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
