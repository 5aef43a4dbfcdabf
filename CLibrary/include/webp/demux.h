/* The frames and the metadata of files, and the decoder of animations: libwebp's functions, which PureWebP implements.
 *
 * Demuxers and animation decoders do not copy the bytes of the file. These must exist as long as the object. */
#ifndef WEBP_WEBP_DEMUX_H_
#define WEBP_WEBP_DEMUX_H_

#include "./decode.h"
#include "./mux_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the structures. The upper byte changes if they become incompatible. */
#define WEBP_DEMUX_ABI_VERSION 0x0107

typedef struct WebPDemuxer WebPDemuxer;
typedef struct WebPIterator WebPIterator;
typedef struct WebPChunkIterator WebPChunkIterator;
typedef struct WebPAnimInfo WebPAnimInfo;
typedef struct WebPAnimDecoderOptions WebPAnimDecoderOptions;

/* The version of libwebp whose interface this is: 0x010600 for 1.6.0. */
WEBP_EXTERN int WebPGetDemuxVersion(void);

typedef enum WebPDemuxState {
  WEBP_DEMUX_PARSE_ERROR = -1,
  WEBP_DEMUX_PARSING_HEADER = 0, /* the size of the canvas is not known yet */
  WEBP_DEMUX_PARSED_HEADER = 1,
  WEBP_DEMUX_DONE = 2
} WebPDemuxState;

WEBP_NODISCARD WEBP_EXTERN WebPDemuxer* WebPDemuxInternal(const WebPData* data, int allow_partial,
                                                          WebPDemuxState* state, int version);

/* Finds the chunks and frames of a complete file. Returns NULL if the file is invalid or incomplete. */
WEBP_NODISCARD static WEBP_INLINE WebPDemuxer* WebPDemux(const WebPData* data) {
  return WebPDemuxInternal(data, 0, NULL, WEBP_DEMUX_ABI_VERSION);
}

/* The same for a file that may be incomplete. When more bytes are available, create another demuxer. `state` may be
 * NULL. */
WEBP_NODISCARD static WEBP_INLINE WebPDemuxer* WebPDemuxPartial(const WebPData* data, WebPDemuxState* state) {
  return WebPDemuxInternal(data, 1, state, WEBP_DEMUX_ABI_VERSION);
}

WEBP_EXTERN void WebPDemuxDelete(WebPDemuxer* dmux);

typedef enum WebPFormatFeature {
  WEBP_FF_FORMAT_FLAGS, /* WebPFeatureFlags */
  WEBP_FF_CANVAS_WIDTH,
  WEBP_FF_CANVAS_HEIGHT,
  WEBP_FF_LOOP_COUNT,
  WEBP_FF_BACKGROUND_COLOR,
  WEBP_FF_FRAME_COUNT
} WebPFormatFeature;

/* A property of the file. 0 if `dmux` is NULL. */
WEBP_EXTERN uint32_t WebPDemuxGetI(const WebPDemuxer* dmux, WebPFormatFeature feature);

/* Frames. */

struct WebPIterator {
  int frame_num; /* from 1 on */
  int num_frames;
  int x_offset, y_offset; /* in pixels */
  int width, height;
  int duration; /* in milliseconds */
  WebPMuxAnimDispose dispose_method;
  int complete;      /* 0 if `fragment` ends before the frame does */
  WebPData fragment; /* the chunks of the frame's image, which WebPDecode accepts */
  int has_alpha;
  WebPMuxAnimBlend blend_method;
  uint32_t pad[2];
  void* private_;
};

/* Finds a frame. 0 is the number of the last frame. Returns 0 if there is no such frame. */
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxGetFrame(const WebPDemuxer* dmux, int frame_number, WebPIterator* iter);

/* Proceeds to the next or previous frame. Returns 0 if there is none. */
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxNextFrame(WebPIterator* iter);
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxPrevFrame(WebPIterator* iter);

/* Call it when an iterator is no longer used. */
WEBP_EXTERN void WebPDemuxReleaseIterator(WebPIterator* iter);

/* Chunks that belong to no image: metadata and unknown chunks. */

struct WebPChunkIterator {
  int chunk_num; /* from 1 on */
  int num_chunks;
  WebPData chunk; /* the payload */
  uint32_t pad[6];
  void* private_;
};

/* Finds a chunk by its FourCC, such as "EXIF". 0 is the number of the last chunk with this FourCC. Returns 0 if there is no
 * such chunk. */
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxGetChunk(const WebPDemuxer* dmux, const char fourcc[4], int chunk_number,
                                                 WebPChunkIterator* iter);

/* Proceeds to the next or previous chunk with the same FourCC. Returns 0 if there is none. */
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxNextChunk(WebPChunkIterator* iter);
WEBP_NODISCARD WEBP_EXTERN int WebPDemuxPrevChunk(WebPChunkIterator* iter);

/* Call it when an iterator is no longer used. */
WEBP_EXTERN void WebPDemuxReleaseChunkIterator(WebPChunkIterator* iter);

/* The animation decoder. */

typedef struct WebPAnimDecoder WebPAnimDecoder;

struct WebPAnimDecoderOptions {
  WEBP_CSP_MODE color_mode; /* MODE_RGBA, MODE_BGRA, MODE_rgbA or MODE_bgrA */
  int use_threads;
  uint32_t padding[7];
};

WEBP_NODISCARD WEBP_EXTERN int WebPAnimDecoderOptionsInitInternal(WebPAnimDecoderOptions* options, int version);

/* Sets the defaults: MODE_RGBA, one thread. Returns 0 if the versions of header and library are incompatible. */
WEBP_NODISCARD static WEBP_INLINE int WebPAnimDecoderOptionsInit(WebPAnimDecoderOptions* options) {
  return WebPAnimDecoderOptionsInitInternal(options, WEBP_DEMUX_ABI_VERSION);
}

WEBP_NODISCARD WEBP_EXTERN WebPAnimDecoder* WebPAnimDecoderNewInternal(const WebPData* data,
                                                                       const WebPAnimDecoderOptions* options,
                                                                       int version);

/* Creates a decoder. `options` may be NULL. Returns NULL if the file or the options are invalid, or if there is not
 * enough memory. */
WEBP_NODISCARD static WEBP_INLINE WebPAnimDecoder* WebPAnimDecoderNew(const WebPData* data,
                                                                      const WebPAnimDecoderOptions* options) {
  return WebPAnimDecoderNewInternal(data, options, WEBP_DEMUX_ABI_VERSION);
}

struct WebPAnimInfo {
  uint32_t canvas_width, canvas_height; /* in pixels */
  uint32_t loop_count;                  /* 0: forever */
  uint32_t bgcolor;                     /* B, G, R, A, from the lowest byte on */
  uint32_t frame_count;
  uint32_t pad[4];
};

/* Returns 0 if an argument is NULL. */
WEBP_NODISCARD WEBP_EXTERN int WebPAnimDecoderGetInfo(const WebPAnimDecoder* dec, WebPAnimInfo* info);

/* Composes the next canvas, without gaps between rows. `*buf` is valid until the next call. `*timestamp` is the end of the
 * frame's display time, in milliseconds. Returns 0 if the frame is invalid, or after the last frame. */
WEBP_NODISCARD WEBP_EXTERN int WebPAnimDecoderGetNext(WebPAnimDecoder* dec, uint8_t** buf, int* timestamp);

WEBP_NODISCARD WEBP_EXTERN int WebPAnimDecoderHasMoreFrames(const WebPAnimDecoder* dec);

/* Returns to the first frame. */
WEBP_EXTERN void WebPAnimDecoderReset(WebPAnimDecoder* dec);

/* The demuxer of the file, which exists as long as the decoder. */
WEBP_NODISCARD WEBP_EXTERN const WebPDemuxer* WebPAnimDecoderGetDemuxer(const WebPAnimDecoder* dec);

WEBP_EXTERN void WebPAnimDecoderDelete(WebPAnimDecoder* dec);

#ifdef __cplusplus
}
#endif

#endif
