/* Sizes and offsets of libwebp 1.6's structures on 64-bit machines, checked by the compiler. */
#include <stddef.h>
#include <webp/demux.h>

#define CHECK(line, condition) typedef char check_##line[(condition) ? 1 : -1];
#define CHECK_AT(line, condition) CHECK(line, condition)
#define SIZE(type, size) CHECK_AT(__LINE__, sizeof(type) == (size))
#define AT(type, field, offset) CHECK_AT(__LINE__, offsetof(type, field) == (offset))
#define VALUE(name, value) CHECK_AT(__LINE__, (name) == (value))

SIZE(WebPRGBABuffer, 24)
AT(WebPRGBABuffer, stride, 8)
AT(WebPRGBABuffer, size, 16)

SIZE(WebPYUVABuffer, 80)
AT(WebPYUVABuffer, u, 8)
AT(WebPYUVABuffer, v, 16)
AT(WebPYUVABuffer, a, 24)
AT(WebPYUVABuffer, y_stride, 32)
AT(WebPYUVABuffer, u_stride, 36)
AT(WebPYUVABuffer, v_stride, 40)
AT(WebPYUVABuffer, a_stride, 44)
AT(WebPYUVABuffer, y_size, 48)
AT(WebPYUVABuffer, u_size, 56)
AT(WebPYUVABuffer, v_size, 64)
AT(WebPYUVABuffer, a_size, 72)

SIZE(WebPDecBuffer, 120)
AT(WebPDecBuffer, width, 4)
AT(WebPDecBuffer, height, 8)
AT(WebPDecBuffer, is_external_memory, 12)
AT(WebPDecBuffer, u, 16)
AT(WebPDecBuffer, pad, 96)
AT(WebPDecBuffer, private_memory, 112)

SIZE(WebPBitstreamFeatures, 40)
AT(WebPBitstreamFeatures, height, 4)
AT(WebPBitstreamFeatures, has_alpha, 8)
AT(WebPBitstreamFeatures, has_animation, 12)
AT(WebPBitstreamFeatures, format, 16)
AT(WebPBitstreamFeatures, pad, 20)

SIZE(WebPDecoderOptions, 76)
AT(WebPDecoderOptions, no_fancy_upsampling, 4)
AT(WebPDecoderOptions, use_cropping, 8)
AT(WebPDecoderOptions, crop_left, 12)
AT(WebPDecoderOptions, crop_top, 16)
AT(WebPDecoderOptions, crop_width, 20)
AT(WebPDecoderOptions, crop_height, 24)
AT(WebPDecoderOptions, use_scaling, 28)
AT(WebPDecoderOptions, scaled_width, 32)
AT(WebPDecoderOptions, scaled_height, 36)
AT(WebPDecoderOptions, use_threads, 40)
AT(WebPDecoderOptions, dithering_strength, 44)
AT(WebPDecoderOptions, flip, 48)
AT(WebPDecoderOptions, alpha_dithering_strength, 52)
AT(WebPDecoderOptions, pad, 56)

SIZE(WebPDecoderConfig, 240)
AT(WebPDecoderConfig, output, 40)
AT(WebPDecoderConfig, options, 160)

SIZE(WebPData, 16)
AT(WebPData, size, 8)

SIZE(WebPIterator, 80)
AT(WebPIterator, num_frames, 4)
AT(WebPIterator, x_offset, 8)
AT(WebPIterator, y_offset, 12)
AT(WebPIterator, width, 16)
AT(WebPIterator, height, 20)
AT(WebPIterator, duration, 24)
AT(WebPIterator, dispose_method, 28)
AT(WebPIterator, complete, 32)
AT(WebPIterator, fragment, 40)
AT(WebPIterator, has_alpha, 56)
AT(WebPIterator, blend_method, 60)
AT(WebPIterator, pad, 64)
AT(WebPIterator, private_, 72)

SIZE(WebPChunkIterator, 56)
AT(WebPChunkIterator, num_chunks, 4)
AT(WebPChunkIterator, chunk, 8)
AT(WebPChunkIterator, pad, 24)
AT(WebPChunkIterator, private_, 48)

SIZE(WebPAnimDecoderOptions, 36)
AT(WebPAnimDecoderOptions, use_threads, 4)
AT(WebPAnimDecoderOptions, padding, 8)

SIZE(WebPAnimInfo, 36)
AT(WebPAnimInfo, canvas_height, 4)
AT(WebPAnimInfo, loop_count, 8)
AT(WebPAnimInfo, bgcolor, 12)
AT(WebPAnimInfo, frame_count, 16)
AT(WebPAnimInfo, pad, 20)

VALUE(MODE_RGBA, 1)
VALUE(MODE_BGRA, 3)
VALUE(MODE_RGBA_4444, 5)
VALUE(MODE_rgbA, 7)
VALUE(MODE_rgbA_4444, 10)
VALUE(MODE_YUVA, 12)
VALUE(MODE_LAST, 13)
VALUE(VP8_STATUS_OUT_OF_MEMORY, 1)
VALUE(VP8_STATUS_UNSUPPORTED_FEATURE, 4)
VALUE(VP8_STATUS_NOT_ENOUGH_DATA, 7)
VALUE(WEBP_DEMUX_PARSE_ERROR, -1)
VALUE(WEBP_DEMUX_DONE, 2)
VALUE(WEBP_FF_FRAME_COUNT, 5)
VALUE(ICCP_FLAG, 32)
VALUE(ALL_VALID_FLAGS, 62)
VALUE(WEBP_MUX_DISPOSE_BACKGROUND, 1)
VALUE(WEBP_MUX_NO_BLEND, 1)
VALUE(WEBP_DECODER_ABI_VERSION, 0x0210)
VALUE(WEBP_DEMUX_ABI_VERSION, 0x0107)

/* Every function and macro of the headers, as a program uses them. */
int useAll(const uint8_t* bytes, size_t count);
int useAll(const uint8_t* bytes, size_t count) {
  WebPDecoderConfig config;
  WebPBitstreamFeatures features;
  WebPDecBuffer buffer;
  WebPAnimDecoderOptions options;
  WebPDemuxState state;
  WebPData data, copy;
  int sum = WebPGetDecoderVersion() + WebPGetDemuxVersion();
  WebPDataInit(&data);
  data.bytes = bytes;
  data.size = count;
  sum += WebPDataCopy(&data, &copy);
  WebPDataClear(&copy);
  sum += WebPInitDecoderConfig(&config) + WebPInitDecBuffer(&buffer) + WebPAnimDecoderOptionsInit(&options);
  sum += (int)WebPGetFeatures(bytes, count, &features);
  sum += WebPIsRGBMode(MODE_YUV) + WebPIsAlphaMode(MODE_RGB) + WebPIsPremultipliedMode(MODE_Argb);
  sum += WebPIDecGetYUV(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == NULL;
  WebPDemuxDelete(WebPDemux(&data));
  WebPDemuxDelete(WebPDemuxPartial(&data, &state));
  WebPAnimDecoderDelete(WebPAnimDecoderNew(&data, &options));
  return sum + WEBP_ABI_IS_INCOMPATIBLE(0x0210, WEBP_DECODER_ABI_VERSION);
}
