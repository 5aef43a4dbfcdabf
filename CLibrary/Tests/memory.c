/* Measures the peak of the resident memory of a process that decodes an image:   memory LIBRARY FILE
 *
 * Prints it in KB. The memory shrinks only in `free`, so it is determined before each release of several pages. VmHWM of
 * Linux is not used: it is too low by up to 190 KB if memory is returned to the system. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "files.h"
#include "library.h"

enum { kPage = 4096 };
extern void __libc_free(void* memory);
static int isDecoding;
static long peak;

static void sample(void) {
  static char text[kPage];
  const int file = open("/proc/self/smaps_rollup", O_RDONLY);
  const ssize_t count = read(file, text, sizeof(text) - 1);
  const char* const line = count > 0 ? strstr(text, "Rss:") : NULL;
  if (line == NULL) { perror("smaps_rollup"); exit(3); }
  close(file);
  const long size = atol(line + 4);
  if (size > peak) peak = size;
}

void free(void* memory) {
  if (isDecoding && malloc_usable_size(memory) >= kPage) sample();
  __libc_free(memory);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Library library;
  loadLibrary(&library, "the library", argv[1]);
  size_t count;
  int width, height;
  const uint8_t* const bytes = readFile(argv[2], &count);
  isDecoding = 1;
  if (library.WebPDecodeRGBA(bytes, count, &width, &height) == NULL) return 3;
  sample();
  isDecoding = 0;
  printf("%ld\n", peak);
  return 0;
}
