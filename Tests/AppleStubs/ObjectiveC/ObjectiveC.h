__attribute__((objc_root_class)) @interface NSObject
+ (nonnull instancetype)new;
- (nonnull instancetype)init;
@end
