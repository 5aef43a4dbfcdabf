// A category that fades an image in when it is loaded for the first time, with low priority, and what apps do with
// SDWebImage.
@import FoundationObjC;
@import UIKit;
#import "WebPPlatform-Swift.h"

@interface UIImageView (Photo)
- (void)showPhoto:(NSURL *)url placeholder:(UIImage *)placeholder;
@end

@implementation UIImageView (Photo)

- (void)showPhoto:(NSURL *)url placeholder:(UIImage *)placeholder {
  WebPImageOptions *options = [WebPImageOptions new];
  options.fadeSeconds = 0.85;
  options.fadeCurve = WebPFadeCurveEaseInOut;
  options.priority = WebPPriorityLow;
  options.retriesFailed = YES;
  options.scale = 2;
  [self webp_setImageWithURL:url
                 placeholder:placeholder
                     options:options
                    progress:^(NSInteger received, NSInteger expected) {
                    }
                  completion:^(UIImage *image, NSError *error, enum WebPImageSource source, NSURL *loaded) {
                    if (source == WebPImageSourceNetwork && loaded == url) [self webp_play];
                  }];
}

- (void)showRequest:(NSURLRequest *)request data:(NSData *)data {
  self.webp_modifier = ^(UIImage *image) { return image; };
  self.webp_failureImage = nil;
  [self webp_setImageWithRequest:request placeholder:nil options:nil progress:nil completion:nil];
  [self webp_setImageWithData:data placeholder:nil options:nil completion:nil];
  [self webp_pause];
}

@end

void reuse(UIImageView *view) { [view webp_cancelImage]; }

NSInteger clear(void) {
  [WebPSharedImages clearMemory];
  return [WebPSharedImages clearDisk] ? 0 : WebPSharedImages.diskSize;
}
