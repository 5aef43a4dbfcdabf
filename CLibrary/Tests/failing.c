/* Lets each allocation of each function fail once, and checks the result:   failing LIBRARY FILE…
 *
 * A call has to report the failure, or succeed with the same result as without a failure. It must not lose memory. The
 * functions of the C library are defined here, so that the library's calls arrive here too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>

#include "files.h"
#include "library.h"

static atomic_long countdown, made, alive;
static atomic_int isCounting;

static void* (*realMalloc)(size_t);
static void* (*realRealloc)(void*, size_t);
static void (*realFree)(void*);
static void resolve(void) {
  realRealloc = (void* (*)(void*, size_t))dlsym(RTLD_NEXT, "realloc");
  realFree = (void (*)(void*))dlsym(RTLD_NEXT, "free");
  realMalloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
}

static int fails(void) {
  if (!isCounting) return 0;
  ++made;
  return --countdown == 0;
}

void* malloc(size_t size) {
  if (realMalloc == NULL) resolve();
  if (fails()) return NULL;
  void* const memory = realMalloc(size);
  if (isCounting && memory != NULL) ++alive;
  return memory;
}

void* realloc(void* memory, size_t size) {
  if (realMalloc == NULL) resolve();
  if (fails()) return NULL;
  void* const larger = realRealloc(memory, size);
  if (isCounting && memory == NULL && larger != NULL) ++alive;
  return larger;
}

void free(void* memory) {
  if (realMalloc == NULL) resolve();
  if (isCounting && memory != NULL) --alive;
  realFree(memory);
}

static Library library;
static const uint8_t* bytes;
static size_t count;

/* A result: a sum of the pixels, or 0 after a failure that was reported. */
typedef struct { int isReported; uint64_t sum; } Result;

static uint64_t sum(const uint8_t* pixels, size_t size) {
  uint64_t s = 1469598103934665603u;
  for (size_t i = 0; i < size; ++i) s = (s ^ pixels[i]) * 1099511628211u;
  return s;
}

static Result simple(void) {
  int width, height;
  uint8_t* const pixels = library.WebPDecodeRGBA(bytes, count, &width, &height);
  if (pixels == NULL) return (Result){1, 0};
  const Result r = {0, sum(pixels, 4u * (size_t)width * (size_t)height)};
  library.WebPFree(pixels);
  return r;
}

static Result withOptions(int mode, int threads) {
  WebPDecoderConfig config;
  if (!library.WebPInitDecoderConfigInternal(&config, 0x0210)) return (Result){1, 0};
  config.output.colorspace = (WEBP_CSP_MODE)mode;
  config.options.use_threads = threads;
  config.options.dithering_strength = 50;
  config.options.alpha_dithering_strength = 100;
  if (!threads) {
    config.options.use_scaling = 1;
    config.options.scaled_width = 50;
  }
  const VP8StatusCode status = library.WebPDecode(bytes, count, &config);
  Result r = {status == VP8_STATUS_OUT_OF_MEMORY, 0};
  if (status == VP8_STATUS_OK) {
    r.sum = mode < MODE_YUV ? sum(config.output.u.RGBA.rgba, config.output.u.RGBA.size)
                            : sum(config.output.u.YUVA.y, config.output.u.YUVA.y_size);
  } else if (!r.isReported) {
    r.sum = (uint64_t)status;
  }
  library.WebPFreeDecBuffer(&config.output);
  return r;
}
static Result scaled(void) { return withOptions(MODE_YUVA, 0); }
static Result premultiplied(void) { return withOptions(MODE_bgrA, 0); }
static Result threaded(void) { return withOptions(MODE_RGB, 1); }

static Result incremental(void) {
  WebPIDecoder* const decoder = library.WebPINewRGB(MODE_RGBA, NULL, 0, 0);
  if (decoder == NULL) return (Result){1, 0};
  Result r = {0, 0};
  for (size_t at = 0; at < count;) {
    const size_t more = count - at < 700 ? count - at : 700;
    const VP8StatusCode status = library.WebPIAppend(decoder, bytes + at, more);
    at += more;
    if (status == VP8_STATUS_SUSPENDED) continue;
    r.isReported = status == VP8_STATUS_OUT_OF_MEMORY;
    if (status == VP8_STATUS_OK) {
      int width, height, stride;
      const uint8_t* const pixels = library.WebPIDecGetRGB(decoder, NULL, &width, &height, &stride);
      r.sum = sum(pixels, (size_t)stride * (size_t)height);
    }
    break;
  }
  library.WebPIDelete(decoder);
  return r;
}

static Result demuxed(void) {
  const WebPData data = {bytes, count};
  WebPDemuxer* const demuxer = library.WebPDemuxInternal(&data, 0, NULL, 0x0107);
  if (demuxer == NULL) return (Result){1, 0};
  Result r = {0, library.WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT)};
  library.WebPDemuxDelete(demuxer);
  return r;
}

static Result animated(int threads) {
  const WebPData data = {bytes, count};
  WebPAnimDecoderOptions options;
  if (!library.WebPAnimDecoderOptionsInitInternal(&options, 0x0107)) return (Result){1, 0};
  options.use_threads = threads;
  WebPAnimDecoder* const decoder = library.WebPAnimDecoderNewInternal(&data, &options, 0x0107);
  if (decoder == NULL) return (Result){1, 0};
  WebPAnimInfo info;
  Result r = {0, 1};
  if (!library.WebPAnimDecoderGetInfo(decoder, &info)) r.isReported = 1;
  while (library.WebPAnimDecoderHasMoreFrames(decoder)) {
    uint8_t* canvas;
    int time;
    if (!library.WebPAnimDecoderGetNext(decoder, &canvas, &time)) { r.isReported = 1; break; }
    r.sum = r.sum * 31 + sum(canvas, 4u * info.canvas_width * info.canvas_height);
  }
  library.WebPAnimDecoderReset(decoder);
  library.WebPAnimDecoderDelete(decoder);
  return r;
}

static Result animatedSingly(void) { return animated(0); }
static Result animatedThreaded(void) { return animated(1); }

static const struct { const char* name; Result (*call)(void); } calls[] = {
    {"WebPDecodeRGBA", simple}, {"scaled YUVA", scaled}, {"scaled bgrA", premultiplied}, {"threads", threaded},
    {"WebPIAppend", incremental}, {"WebPDemux", demuxed}, {"WebPAnimDecoder", animatedSingly},
    {"WebPAnimDecoder, threads", animatedThreaded}};

int main(int argc, char** argv) {
  int faults = 0;
  long total = 0;
  loadLibrary(&library, "library", argv[1]);
  for (int i = 2; i < argc; ++i) {
    uint8_t* const memory = readFile(argv[i], &count);
    bytes = memory;
    for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); ++c) {
      const Result whole = calls[c].call();
      for (long n = 1;; ++n) {
        countdown = n;
        made = alive = 0;
        isCounting = 1;
        const Result r = calls[c].call();
        isCounting = 0;
        const int isOver = made < n;
        const int isRight = (r.isReported && !isOver) || (r.isReported == whole.isReported && r.sum == whole.sum);
        if (!isRight || alive != 0) {
          ++faults;
          printf("%s: %s: allocation %ld of %ld: reported %d, %ld blocks remain\n", argv[i], calls[c].name, n, (long)made,
                 r.isReported, (long)alive);
        }
        ++total;
        if (isOver) break;
      }
    }
    free(memory);
  }
  printf("%ld failed allocations, %d faults\n", total, faults);
  return faults != 0;
}
