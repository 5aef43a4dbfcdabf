// Converts data to an image, or to a PNG, with errors.
@import FoundationObjC;
@import UIKit;

// ObjectiveC+Data.swift is not in the generated header. Methods that throw have these selectors (SE-0112).
@interface UIImage (WebPData)
+ (nullable UIImage *)webp_imageWithData:(nonnull NSData *)data
                                   scale:(double)scale
                                   error:(NSError *_Nullable *_Nullable)error;
@end

@interface NSData (WebPData)
- (nullable NSData *)webp_PNGDataAndReturnError:(NSError *_Nullable *_Nullable)error;
@end

UIImage *imageFromWebP(NSData *data, NSError **error) { return [UIImage webp_imageWithData:data scale:2 error:error]; }

NSData *PNGFromWebP(NSData *data, NSError **error) { return [data webp_PNGDataAndReturnError:error]; }
