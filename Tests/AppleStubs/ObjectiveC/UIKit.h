@import ObjectiveC;

__attribute__((swift_attr("@Sendable"))) @interface UIImage : NSObject
@end

__attribute__((swift_attr("@MainActor"))) @interface UIView : NSObject
@end

@interface UIImageView : UIView
@end
