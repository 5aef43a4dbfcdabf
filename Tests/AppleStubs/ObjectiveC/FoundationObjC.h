// Classes of Foundation that the interface for Objective-C, and the files that use it, need.
@import ObjectiveC;

typedef signed char BOOL;
typedef long NSInteger;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)

@interface NSData : NSObject
@end

@interface NSURL : NSObject
@end

@interface NSURLRequest : NSObject
@end

@interface NSArray<__covariant ObjectType> : NSObject
@end

@interface NSError : NSObject
@end

@interface NSURLSessionConfiguration : NSObject
@end
