// Replaces the header that Xcode generates. `.ci/apple` compares its names with WebView+ObjectiveC.swift.
@import ObjectiveC;
@import WebKit;

#pragma clang assume_nonnull begin

@interface WebPScriptBridge : NSObject
+ (WebPScriptBridge *)webp_bridge;
- (void)webp_installInController:(WKUserContentController *)controller;
- (void)webp_uninstallFromController:(WKUserContentController *)controller;
@end

@interface WebPSchemeHandler : NSObject
+ (WebPSchemeHandler *)webp_handler;
- (void)webp_installInConfiguration:(WKWebViewConfiguration *)configuration;
@end

#pragma clang assume_nonnull end
