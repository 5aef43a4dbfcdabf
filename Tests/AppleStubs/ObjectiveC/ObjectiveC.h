__attribute__((objc_root_class)) @interface NSObject
- (nonnull instancetype)init;
@end
