@import ObjectiveC;

__attribute__((swift_attr("@MainActor"))) @interface WKUserContentController : NSObject
@end

__attribute__((swift_attr("@MainActor"))) @interface WKWebViewConfiguration : NSObject
@property(nonatomic, readonly, nonnull) WKUserContentController *userContentController;
@end
