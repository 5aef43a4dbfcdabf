/* A target of libFuzzer: calls all functions with options and splits that follow from the input, and compares the results
 * with libwebp's. OURS and THEIRS are environment variables with paths, separated by colons. */
#define FUZZING
#include "compare.c"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  static int isLoaded;
  if (!isLoaded) {
    loadLibrary(&ours, "this library", getenv("OURS"));
    loadLibrary(&theirs, "libwebp", getenv("THEIRS"));
    file = "input";
    isLoaded = 1;
  }
  state = count;
  for (size_t i = 0; i < count; ++i) state = (state ^ bytes[i]) * 1099511628211u;
  WebPBitstreamFeatures features;
  /* Large images would take most of the time. */
  if (theirs.WebPGetFeaturesInternal(bytes, count, &features, 0x0210) == VP8_STATUS_OK &&
      (int64_t)features.width * features.height > 1 << 16)
    return -1;
  compareBytes(bytes, count, 0);
  if (differences > 0) abort();
  return 0;
}
