/* Types of webp/demux.h. */
#ifndef WEBP_WEBP_MUX_TYPES_H_
#define WEBP_WEBP_MUX_TYPES_H_

#include <string.h>

#include "./types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The flags of a VP8X chunk. */
typedef enum WebPFeatureFlags {
  ANIMATION_FLAG = 0x02,
  XMP_FLAG = 0x04,
  EXIF_FLAG = 0x08,
  ALPHA_FLAG = 0x10,
  ICCP_FLAG = 0x20,
  ALL_VALID_FLAGS = 0x3e
} WebPFeatureFlags;

/* The disposal method: what happens to a frame's rectangle before the next frame. */
typedef enum WebPMuxAnimDispose {
  WEBP_MUX_DISPOSE_NONE,       /* it remains */
  WEBP_MUX_DISPOSE_BACKGROUND  /* it is cleared */
} WebPMuxAnimDispose;

/* The blending method: how a frame is drawn on the canvas. */
typedef enum WebPMuxAnimBlend {
  WEBP_MUX_BLEND,    /* blended with the canvas */
  WEBP_MUX_NO_BLEND  /* replaces the pixels of the canvas */
} WebPMuxAnimBlend;

typedef struct WebPData WebPData;

/* Bytes, and their number. */
struct WebPData {
  const uint8_t* bytes;
  size_t size;
};

/* Makes the data empty. */
static WEBP_INLINE void WebPDataInit(WebPData* data) {
  if (data != NULL) memset(data, 0, sizeof(*data));
}

/* Releases the bytes, which WebPMalloc must have allocated, and makes the data empty. */
static WEBP_INLINE void WebPDataClear(WebPData* data) {
  if (data != NULL) {
    WebPFree((void*)data->bytes);
    WebPDataInit(data);
  }
}

/* Copies the bytes to new memory. Returns 0 if an argument is NULL or if there is not enough memory. */
WEBP_NODISCARD static WEBP_INLINE int WebPDataCopy(const WebPData* source, WebPData* copy) {
  if (source == NULL || copy == NULL) return 0;
  WebPDataInit(copy);
  if (source->bytes != NULL && source->size != 0) {
    void* const bytes = WebPMalloc(source->size);
    if (bytes == NULL) return 0;
    memcpy(bytes, source->bytes, source->size);
    copy->bytes = (const uint8_t*)bytes;
    copy->size = source->size;
  }
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
