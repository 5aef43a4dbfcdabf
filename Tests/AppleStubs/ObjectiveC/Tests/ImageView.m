// A category that fades an image in when it is loaded for the first time, with low priority.
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
  [self webp_setImageWithURL:url
                 placeholder:placeholder
                     options:options
                  completion:^(NSError *error){
                  }];
}

@end

void reuse(UIImageView *view) { [view webp_cancelImage]; }
