// Swift restricts CoreFoundation's types: for example, an extension cannot add initializers. To be restricted in the
// same way, these types are declared in C, as in the SDK.

#define CF_TYPE __attribute__((objc_bridge(id)))
#define SENDABLE __attribute__((swift_attr("@Sendable")))

typedef struct CF_TYPE CGColorSpace *CGColorSpaceRef SENDABLE;
typedef struct CF_TYPE CGContext *CGContextRef;
typedef struct CF_TYPE CGDataProvider *CGDataProviderRef;
typedef struct CF_TYPE CGImage *CGImageRef SENDABLE;
