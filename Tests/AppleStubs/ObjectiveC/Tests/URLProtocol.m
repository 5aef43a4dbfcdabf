// Registers the protocol of an app for systems that do not decode WebP, and unregisters it.
@import FoundationObjC;
#import "WebPPlatform-Swift.h"

static WebPProtocolOptions *protocolOptions(BOOL claimsWebPPaths, BOOL cachesOtherImages) {
  WebPProtocolOptions *options = [WebPProtocolOptions new];
  options.claimsWebPPaths = claimsWebPPaths;
  options.cachesOtherImages = cachesOtherImages;
  return options;
}

void startWebP(void) {
  [NSURLSessionConfiguration webp_registerProtocolWithOptions:protocolOptions(YES, YES)];
}

void stopWebP(void) {
  [NSURLSessionConfiguration webp_unregisterProtocolWithOptions:protocolOptions(YES, YES)];
}

void startWebPForPaths(void) { [NSURLSessionConfiguration webp_registerProtocol]; }

void stopWebPForPaths(void) { [NSURLSessionConfiguration webp_unregisterProtocol]; }

NSURLSessionConfiguration *configurationWithWebP(NSURLSessionConfiguration *configuration) {
  return [configuration webp_configurationWithOptions:protocolOptions(NO, NO)];
}
