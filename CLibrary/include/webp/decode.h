/* The decoder of still images: libwebp's functions, which PureWebP implements.
 *
 * Functions may be called from several threads at the same time, for different objects. A function that has a size beside
 * a pointer reads or writes no byte outside of these bytes. Pixels are rows from top to bottom. `stride` is the distance
 * from the start of one row to the start of the next one, in bytes. If it is negative, the pointer is the start of the
 * top row, which is then the last one in memory. */
#ifndef WEBP_WEBP_DECODE_H_
#define WEBP_WEBP_DECODE_H_

#include "./types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the structures. The upper byte changes if they become incompatible. */
#define WEBP_DECODER_ABI_VERSION 0x0210

typedef struct WebPRGBABuffer WebPRGBABuffer;
typedef struct WebPYUVABuffer WebPYUVABuffer;
typedef struct WebPDecBuffer WebPDecBuffer;
typedef struct WebPIDecoder WebPIDecoder;
typedef struct WebPBitstreamFeatures WebPBitstreamFeatures;
typedef struct WebPDecoderOptions WebPDecoderOptions;
typedef struct WebPDecoderConfig WebPDecoderConfig;

/* The version of libwebp whose interface this is: 0x010600 for 1.6.0. */
WEBP_EXTERN int WebPGetDecoderVersion(void);

/* Reads the headers. Returns 0 if they are invalid or incomplete. `width` and `height` may be NULL. */
WEBP_NODISCARD WEBP_EXTERN int WebPGetInfo(const uint8_t* data, size_t data_size, int* width, int* height);

/* Simple functions.
 *
 * Each decodes a complete file. It returns the pixels without gaps, which the caller releases with WebPFree, or NULL.
 * `width` and `height` may be NULL. The letters in the name are the order of the channels in memory. */
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeRGBA(const uint8_t* data, size_t data_size, int* width, int* height);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeARGB(const uint8_t* data, size_t data_size, int* width, int* height);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeBGRA(const uint8_t* data, size_t data_size, int* width, int* height);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeRGB(const uint8_t* data, size_t data_size, int* width, int* height);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeBGR(const uint8_t* data, size_t data_size, int* width, int* height);

/* Y'CbCr 4:2:0. The result is the plane of Y, which the caller releases. The other planes belong to the same memory. */
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeYUV(const uint8_t* data, size_t data_size, int* width, int* height,
                                                  uint8_t** u, uint8_t** v, int* stride, int* uv_stride);

/* Each decodes into the caller's memory. It returns that memory, or NULL if the memory is too small or the file is
 * invalid. */
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeRGBAInto(const uint8_t* data, size_t data_size, uint8_t* output_buffer,
                                                       size_t output_buffer_size, int output_stride);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeARGBInto(const uint8_t* data, size_t data_size, uint8_t* output_buffer,
                                                       size_t output_buffer_size, int output_stride);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeBGRAInto(const uint8_t* data, size_t data_size, uint8_t* output_buffer,
                                                       size_t output_buffer_size, int output_stride);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeRGBInto(const uint8_t* data, size_t data_size, uint8_t* output_buffer,
                                                      size_t output_buffer_size, int output_stride);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeBGRInto(const uint8_t* data, size_t data_size, uint8_t* output_buffer,
                                                      size_t output_buffer_size, int output_stride);
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPDecodeYUVInto(const uint8_t* data, size_t data_size, uint8_t* luma,
                                                      size_t luma_size, int luma_stride, uint8_t* u, size_t u_size,
                                                      int u_stride, uint8_t* v, size_t v_size, int v_stride);

/* Output.
 *
 * The pixel formats. RGBA_4444 and RGB_565 have two bytes per pixel, whose bits have the order of the name. In formats
 * with small letters, colors are multiplied by alpha. */
typedef enum WEBP_CSP_MODE {
  MODE_RGB = 0,
  MODE_RGBA = 1,
  MODE_BGR = 2,
  MODE_BGRA = 3,
  MODE_ARGB = 4,
  MODE_RGBA_4444 = 5,
  MODE_RGB_565 = 6,
  MODE_rgbA = 7,
  MODE_bgrA = 8,
  MODE_Argb = 9,
  MODE_rgbA_4444 = 10,
  MODE_YUV = 11,
  MODE_YUVA = 12,
  MODE_LAST = 13
} WEBP_CSP_MODE;

static WEBP_INLINE int WebPIsPremultipliedMode(WEBP_CSP_MODE mode) {
  return mode >= MODE_rgbA && mode <= MODE_rgbA_4444;
}

static WEBP_INLINE int WebPIsAlphaMode(WEBP_CSP_MODE mode) {
  return WebPIsPremultipliedMode(mode) || mode == MODE_RGBA || (mode >= MODE_BGRA && mode <= MODE_RGBA_4444) ||
         mode == MODE_YUVA;
}

static WEBP_INLINE int WebPIsRGBMode(WEBP_CSP_MODE mode) { return mode < MODE_YUV; }

/* The memory of a packed format. */
struct WebPRGBABuffer {
  uint8_t* rgba;
  int stride;
  size_t size; /* of the memory, in bytes */
};

/* The memory of a planar format. U and V have half of the width and of the height, rounded up. */
struct WebPYUVABuffer {
  uint8_t *y, *u, *v, *a; /* `a` is for MODE_YUVA */
  int y_stride;
  int u_stride, v_stride;
  int a_stride;
  size_t y_size; /* of each plane, in bytes */
  size_t u_size, v_size;
  size_t a_size;
};

struct WebPDecBuffer {
  WEBP_CSP_MODE colorspace;
  int width, height;
  int is_external_memory; /* 0: the decoder allocates memory. 1: it is the caller's. 2: it is also slow, so that
                             premultiplied formats are written once, at the end. */
  union {
    WebPRGBABuffer RGBA;
    WebPYUVABuffer YUVA;
  } u;
  uint32_t pad[4];
  uint8_t* private_memory; /* the decoder's memory, which WebPFreeDecBuffer releases */
};

WEBP_NODISCARD WEBP_EXTERN int WebPInitDecBufferInternal(WebPDecBuffer* buffer, int version);

/* Clears the structure. Call it first. Returns 0 if the versions of header and library are incompatible. */
WEBP_NODISCARD static WEBP_INLINE int WebPInitDecBuffer(WebPDecBuffer* buffer) {
  return WebPInitDecBufferInternal(buffer, WEBP_DECODER_ABI_VERSION);
}

/* Releases memory that the decoder has allocated for the buffer. */
WEBP_EXTERN void WebPFreeDecBuffer(WebPDecBuffer* buffer);

typedef enum WEBP_NODISCARD VP8StatusCode {
  VP8_STATUS_OK = 0,
  VP8_STATUS_OUT_OF_MEMORY,
  VP8_STATUS_INVALID_PARAM,
  VP8_STATUS_BITSTREAM_ERROR,
  VP8_STATUS_UNSUPPORTED_FEATURE,
  VP8_STATUS_SUSPENDED,
  VP8_STATUS_USER_ABORT,
  VP8_STATUS_NOT_ENOUGH_DATA
} VP8StatusCode;

/* Incremental decoding. */

/* Creates a decoder for an output buffer, which must exist as long as the decoder. If it is NULL, the decoder has one for
 * MODE_RGB. Returns NULL if there is not enough memory. */
WEBP_NODISCARD WEBP_EXTERN WebPIDecoder* WebPINewDecoder(WebPDecBuffer* output_buffer);

/* Creates a decoder for the caller's memory. If it is NULL, the decoder allocates memory. */
WEBP_NODISCARD WEBP_EXTERN WebPIDecoder* WebPINewRGB(WEBP_CSP_MODE csp, uint8_t* output_buffer,
                                                     size_t output_buffer_size, int output_stride);

/* Creates a decoder for the caller's planes. If `luma` is NULL, the decoder allocates memory. `a` may be NULL. */
WEBP_NODISCARD WEBP_EXTERN WebPIDecoder* WebPINewYUVA(uint8_t* luma, size_t luma_size, int luma_stride, uint8_t* u,
                                                      size_t u_size, int u_stride, uint8_t* v, size_t v_size,
                                                      int v_stride, uint8_t* a, size_t a_size, int a_stride);

/* The same without alpha. */
WEBP_NODISCARD WEBP_EXTERN WebPIDecoder* WebPINewYUV(uint8_t* luma, size_t luma_size, int luma_stride, uint8_t* u,
                                                     size_t u_size, int u_stride, uint8_t* v, size_t v_size,
                                                     int v_stride);

/* Releases the decoder, and the output memory that it has allocated for itself. */
WEBP_EXTERN void WebPIDelete(WebPIDecoder* idec);

/* Copies the next bytes, and decodes as far as possible. VP8_STATUS_SUSPENDED: more bytes are needed. */
WEBP_EXTERN VP8StatusCode WebPIAppend(WebPIDecoder* idec, const uint8_t* data, size_t data_size);

/* Decodes as far as possible. `data` has all bytes of the file that are available, and may move between calls. Calls of
 * WebPIAppend and WebPIUpdate cannot be mixed. */
WEBP_EXTERN VP8StatusCode WebPIUpdate(WebPIDecoder* idec, const uint8_t* data, size_t data_size);

/* Returns the pixels, of which the first `*last_y` rows are finished. NULL if there is no output yet. */
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPIDecGetRGB(const WebPIDecoder* idec, int* last_y, int* width, int* height,
                                                   int* stride);

/* The same for planar formats. Returns the plane of Y. */
WEBP_NODISCARD WEBP_EXTERN uint8_t* WebPIDecGetYUVA(const WebPIDecoder* idec, int* last_y, uint8_t** u, uint8_t** v,
                                                    uint8_t** a, int* width, int* height, int* stride, int* uv_stride,
                                                    int* a_stride);

WEBP_NODISCARD static WEBP_INLINE uint8_t* WebPIDecGetYUV(const WebPIDecoder* idec, int* last_y, uint8_t** u,
                                                          uint8_t** v, int* width, int* height, int* stride,
                                                          int* uv_stride) {
  return WebPIDecGetYUVA(idec, last_y, u, v, NULL, width, height, stride, uv_stride, NULL);
}

/* Returns the output, and the rectangle that is finished. NULL if there is no output yet. */
WEBP_NODISCARD WEBP_EXTERN const WebPDecBuffer* WebPIDecodedArea(const WebPIDecoder* idec, int* left, int* top,
                                                                 int* width, int* height);

/* Decoding with options. */

struct WebPBitstreamFeatures {
  int width, height; /* in pixels */
  int has_alpha;
  int has_animation;
  int format; /* 0: unknown, or an animation. 1: lossy. 2: lossless. */
  uint32_t pad[5];
};

WEBP_EXTERN VP8StatusCode WebPGetFeaturesInternal(const uint8_t* data, size_t data_size,
                                                  WebPBitstreamFeatures* features, int version);

/* Reads the headers. VP8_STATUS_NOT_ENOUGH_DATA: more bytes are needed. */
static WEBP_INLINE VP8StatusCode WebPGetFeatures(const uint8_t* data, size_t data_size,
                                                 WebPBitstreamFeatures* features) {
  return WebPGetFeaturesInternal(data, data_size, features, WEBP_DECODER_ABI_VERSION);
}

struct WebPDecoderOptions {
  int bypass_filtering;    /* skips the loop filter */
  int no_fancy_upsampling; /* each pixel uses the nearest chroma sample */
  int use_cropping;
  int crop_left, crop_top; /* lossy images: rounded down to even numbers */
  int crop_width, crop_height;
  int use_scaling;                 /* after cropping */
  int scaled_width, scaled_height; /* if one is 0, it follows from the aspect ratio */
  int use_threads;
  int dithering_strength; /* 0 to 100 */
  int flip;               /* upside down */
  int alpha_dithering_strength; /* 0 to 100 */
  uint32_t pad[5];
};

struct WebPDecoderConfig {
  WebPBitstreamFeatures input;
  WebPDecBuffer output;
  WebPDecoderOptions options;
};

WEBP_NODISCARD WEBP_EXTERN int WebPInitDecoderConfigInternal(WebPDecoderConfig* config, int version);

/* Clears the structure. Call it first. Returns 0 if the versions of header and library are incompatible. */
WEBP_NODISCARD static WEBP_INLINE int WebPInitDecoderConfig(WebPDecoderConfig* config) {
  return WebPInitDecoderConfigInternal(config, WEBP_DECODER_ABI_VERSION);
}

/* Returns whether the options are in their ranges. Checks them against the image if `config->input` has its size. */
WEBP_NODISCARD WEBP_EXTERN int WebPValidateDecoderConfig(const WebPDecoderConfig* config);

/* Creates an incremental decoder with options. `config` may be NULL. If not, it must exist as long as the decoder. If
 * `data` is not NULL, its headers are stored in `config->input`, and the result is NULL if they are invalid. The bytes are
 * not decoded. */
WEBP_NODISCARD WEBP_EXTERN WebPIDecoder* WebPIDecode(const uint8_t* data, size_t data_size, WebPDecoderConfig* config);

/* Decodes a complete file to `config->output`. */
WEBP_EXTERN VP8StatusCode WebPDecode(const uint8_t* data, size_t data_size, WebPDecoderConfig* config);

#ifdef __cplusplus
}
#endif

#endif
