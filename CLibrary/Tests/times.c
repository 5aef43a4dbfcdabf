/* Compares the times of this library and of libwebp:   times OURS LIBWEBP SECONDS FILE…
 *
 * Each round decodes all files with one library, then with the other, first on one thread and then with `use_threads`.
 * Prints the ratios of the shortest times: libwebp's to this library's, and those of one thread to those of several.
 * Times of one thread are processor times. Animations are decoded by WebPAnimDecoder, with all frames. */
#define _GNU_SOURCE
#include <math.h>
#include <time.h>

#include "files.h"
#include "library.h"

enum { kFiles = 256, kContestants = 4 };
typedef struct { const char* name; uint8_t* bytes; size_t count; double megapixels, best[kContestants]; } File;
static File files[kFiles];
static Library libraries[2];

static double seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Decodes a file, and returns its number of pixels. */
static double decode(const Library* library, const File* file, int threads) {
  WebPDecoderConfig config;
  if (!library->WebPInitDecoderConfigInternal(&config, WEBP_DECODER_ABI_VERSION)) exit(3);
  config.output.colorspace = MODE_RGBA;
  config.options.use_threads = threads;
  const VP8StatusCode status = library->WebPDecode(file->bytes, file->count, &config);
  const double pixels = (double)config.output.width * (double)config.output.height;
  library->WebPFreeDecBuffer(&config.output);
  if (status == VP8_STATUS_OK) return pixels;
  const WebPData data = {file->bytes, file->count};
  WebPAnimDecoderOptions options;
  if (!library->WebPAnimDecoderOptionsInitInternal(&options, WEBP_DEMUX_ABI_VERSION)) exit(3);
  options.use_threads = threads;
  WebPAnimDecoder* const decoder = library->WebPAnimDecoderNewInternal(&data, &options, WEBP_DEMUX_ABI_VERSION);
  WebPAnimInfo info = {0};
  if (!library->WebPAnimDecoderGetInfo(decoder, &info)) exit(3);
  uint8_t* canvas;
  int time;
  while (library->WebPAnimDecoderGetNext(decoder, &canvas, &time)) continue;
  library->WebPAnimDecoderDelete(decoder);
  return (double)info.frame_count * info.canvas_width * info.canvas_height;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  loadLibrary(&libraries[0], "this library", argv[1]);
  loadLibrary(&libraries[1], "libwebp", argv[2]);
  int fileCount = 0;
  for (int i = 4; i < argc && fileCount < kFiles; ++i) {
    File* const file = &files[fileCount++];
    file->name = strrchr(argv[i], '/') != NULL ? strrchr(argv[i], '/') + 1 : argv[i];
    file->bytes = readFile(argv[i], &file->count);
    for (int c = 0; c < kContestants; ++c) file->best[c] = 1e9;
  }
  const double end = seconds(CLOCK_MONOTONIC) + atof(argv[3]);
  int rounds = 0;
  do {
    for (int c = 0; c < kContestants; ++c)
      for (int i = 0; i < fileCount; ++i) {
        const clockid_t clock = c < 2 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        const double start = seconds(clock);
        files[i].megapixels = 1e-6 * decode(&libraries[c % 2], &files[i], c / 2);
        const double time = seconds(clock) - start;
        if (time < files[i].best[c]) files[i].best[c] = time;
      }
    ++rounds;
  } while (seconds(CLOCK_MONOTONIC) < end);
  double logs[4] = {0};
  printf("file\tMP\tms\tone thread\tthreads\tgain\tlibwebp's gain\n");
  for (int i = 0; i < fileCount; ++i) {
    const double* const t = files[i].best;
    const double ratios[4] = {t[1] / t[0], t[3] / t[2], t[0] / t[2], t[1] / t[3]};
    printf("%s\t%.2f\t%.2f", files[i].name, files[i].megapixels, 1e3 * t[0]);
    for (int r = 0; r < 4; ++r) {
      printf("\t%.2f", ratios[r]);
      logs[r] += log(ratios[r]);
    }
    printf("\n");
  }
  printf("mean of %d, %d rounds\t\t", fileCount, rounds);
  for (int r = 0; r < 4; ++r) printf("\t%.2f", exp(logs[r] / fileCount));
  printf("\n");
  return 0;
}
