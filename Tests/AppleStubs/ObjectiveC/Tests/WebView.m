// Shows WebP in web views.
@import WebKit;
#import "WebPWebView-Swift.h"

void showWebPInPages(WKWebViewConfiguration *configuration) {
  WebPScriptBridge *bridge = [WebPScriptBridge webp_bridge];
  [bridge webp_installInController:configuration.userContentController];
}

void hideWebPInPages(WebPScriptBridge *bridge, WKWebViewConfiguration *configuration) {
  [bridge webp_uninstallFromController:configuration.userContentController];
}

void showWebPForSchemes(WKWebViewConfiguration *configuration) {
  [[WebPSchemeHandler webp_handler] webp_installInConfiguration:configuration];
}
