// Swift allows less of CoreFoundation's types than of its own classes, such as no initialisers in extensions. So these
// come from C, as they do in the SDK.

#define CF_TYPE __attribute__((objc_bridge(id)))
#define SENDABLE __attribute__((swift_attr("@Sendable")))

typedef struct CF_TYPE CGColorSpace *CGColorSpaceRef SENDABLE;
typedef struct CF_TYPE CGContext *CGContextRef;
typedef struct CF_TYPE CGDataProvider *CGDataProviderRef;
typedef struct CF_TYPE CGImage *CGImageRef SENDABLE;
