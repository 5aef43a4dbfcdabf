// Converts data to an image, or to a PNG.
@import FoundationObjC;
@import UIKit;
#import "WebPPlatform-Swift.h"

UIImage *imageFromWebP(NSData *data) { return [UIImage webp_imageWithData:data scale:2]; }

NSData *PNGFromWebP(NSData *data) { return [data webp_PNGData]; }
