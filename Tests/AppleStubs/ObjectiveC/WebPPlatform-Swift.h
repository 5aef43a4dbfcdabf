// Replaces the header that Xcode generates. `.ci/apple` compares its names with Sources/WebPPlatform/ObjectiveC.swift.
@import FoundationObjC;
@import ObjectiveC;
@import UIKit;

#pragma clang assume_nonnull begin

@interface WebPProtocolOptions : NSObject
@property(nonatomic) BOOL claimsWebPPaths;
@property(nonatomic) BOOL claimsEveryURL;
@property(nonatomic) BOOL cachesImages;
@property(nonatomic) BOOL cachesOtherImages;
@end

@interface NSURLSessionConfiguration (WebP)
+ (void)webp_registerProtocol;
+ (void)webp_unregisterProtocol;
+ (void)webp_registerProtocolWithOptions:(WebPProtocolOptions *)options;
+ (void)webp_unregisterProtocolWithOptions:(WebPProtocolOptions *)options;
- (NSURLSessionConfiguration *)webp_configuration;
- (NSURLSessionConfiguration *)webp_configurationWithOptions:(WebPProtocolOptions *)options;
@end

@interface NSData (WebP)
- (nullable NSData *)webp_PNGData;
@end

@interface UIImage (WebP)
+ (nullable UIImage *)webp_imageWithData:(NSData *)data scale:(double)scale;
@end

typedef enum : NSInteger {
  WebPFadeCurveLinear, WebPFadeCurveEaseIn, WebPFadeCurveEaseOut, WebPFadeCurveEaseInOut
} WebPFadeCurve;

typedef enum : NSInteger { WebPPriorityLow, WebPPriorityNormal, WebPPriorityHigh } WebPPriority;

@interface WebPImageOptions : NSObject
@property(nonatomic) double fadeSeconds;
@property(nonatomic) WebPFadeCurve fadeCurve;
@property(nonatomic) BOOL delaysPlaceholder;
@property(nonatomic) WebPPriority priority;
@property(nonatomic) BOOL keepsInMemoryOnly;
@property(nonatomic) BOOL refreshesCached;
@end

@interface UIImageView (WebP)
- (void)webp_setImageWithURL:(nullable NSURL *)url
                 placeholder:(nullable UIImage *)placeholder
                  completion:(void (^_Nullable)(NSError *_Nullable))completion;
- (void)webp_setImageWithURL:(nullable NSURL *)url
                 placeholder:(nullable UIImage *)placeholder
                     options:(WebPImageOptions *)options
                  completion:(void (^_Nullable)(NSError *_Nullable))completion;
- (void)webp_cancelImage;
@end

#pragma clang assume_nonnull end
