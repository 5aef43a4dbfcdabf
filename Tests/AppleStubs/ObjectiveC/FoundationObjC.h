// Classes of Foundation that the interface for Objective-C uses.
@import ObjectiveC;

@interface NSData : NSObject
@end

@interface NSURL : NSObject
@end

@interface NSError : NSObject
@end

@interface NSURLSessionConfiguration : NSObject
@end
