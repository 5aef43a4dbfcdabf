/* What programs do with a library:   hosting LIBRARY FILE…
 *
 * Loads it, decodes and unloads it 1,000 times; decodes on threads with a stack of 128 KiB; decodes in a child process
 * after a fork; decodes with too little memory, and without permission to create threads. Every decode has to give the
 * same pixels, or report the failure. Helper threads must block signals, and end before the call returns. The function
 * of the C library that creates threads is defined here, so that the library's calls arrive here too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "library.h"

typedef VP8StatusCode (*Decode)(const uint8_t*, size_t, WebPDecoderConfig*);
typedef struct { uint8_t* bytes; size_t count; uint64_t sum; } File;

static File files[64];
static int fileCount, faults;
static void* decodeAll(void* library);

static void fault(const char* what) {
  printf("%s\n", what);
  ++faults;
}

static atomic_int created, refused, isRefusing;
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  int (*const create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
  if (body != decodeAll) {
    sigset_t signals; /* The thread inherits them. */
    pthread_sigmask(SIG_SETMASK, NULL, &signals);
    if (!sigismember(&signals, SIGTERM) || sigismember(&signals, SIGSEGV)) fault("a helper receives signals");
    ++*(isRefusing ? &refused : &created);
    if (isRefusing) return EAGAIN;
  }
  return create(thread, attributes, body, argument);
}

/* Returns the sum of the pixels, or the status if it is not OK. */
static uint64_t decode(void* library, const File* file, int threads) {
  const Decode webpDecode = (Decode)(uintptr_t)dlsym(library, "WebPDecode");
  void (*const release)(WebPDecBuffer*) = (void (*)(WebPDecBuffer*))(uintptr_t)dlsym(library, "WebPFreeDecBuffer");
  if (webpDecode == NULL || release == NULL) return 0;
  WebPDecoderConfig config;
  memset(&config, 0, sizeof(config));
  config.output.colorspace = MODE_RGBA;
  config.options.use_threads = threads;
  const VP8StatusCode status = webpDecode(file->bytes, file->count, &config);
  uint64_t sum = status;
  if (status == VP8_STATUS_OK) {
    sum = 1469598103934665603u;
    for (size_t i = 0; i < config.output.u.RGBA.size; ++i) sum = (sum ^ config.output.u.RGBA.rgba[i]) * 1099511628211u;
  }
  release(&config.output);
  return sum;
}

static void* openLibrary(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return library;
}

static void* decodeAll(void* library) {
  for (int i = 0; i < fileCount; ++i)
    for (int threads = 0; threads < 2; ++threads)
      if (decode(library, &files[i], threads) != files[i].sum) return "another result on a small stack";
  return NULL;
}

/* The number of threads of this process. */
static int threadCount(void) {
  int count = 0;
  char line[256];
  FILE* const f = fopen("/proc/self/status", "r");
  while (f != NULL && fgets(line, sizeof(line), f) != NULL) sscanf(line, "Threads: %d", &count);
  if (f != NULL) fclose(f);
  return count;
}

int main(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1); /* others would have memory when the limit is reached */
  mallopt(M_MMAP_THRESHOLD, 1 << 16); /* images do not find room between the blocks of earlier ones */
  for (int i = 2; i < argc && fileCount < 64; ++i) {
    File* const file = &files[fileCount++];
    file->bytes = readFile(argv[i], &file->count);
  }
  void* library = openLibrary(argv[1]);
  for (int i = 0; i < fileCount; ++i) files[i].sum = decode(library, &files[i], 0);
  dlclose(library);
  for (int i = 0; i < 1000; ++i) {
    library = openLibrary(argv[1]);
    const File* const file = &files[i % fileCount];
    if (decode(library, file, 1) != file->sum) fault("another result after loading again");
    dlclose(library);
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) fault("the library remains loaded");
    if (threadCount() != 1) fault("a thread outlives the call");
  }
  library = openLibrary(argv[1]);

  pthread_t threads[4];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  for (int i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], &attributes, decodeAll, library) != 0) return 3;
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    if (result != NULL) fault(result);
  }

  isRefusing = 1;
  decodeAll(library);
  isRefusing = 0;
  if (created == 0 || refused == 0) fault("no helper was created");
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, NULL, &signals);
  if (sigismember(&signals, SIGTERM)) fault("a signal remains blocked");

  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(decode(library, &files[i % fileCount], 1) == files[i % fileCount].sum ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    if (status != 0) fault("a child process has another result");
  }

  int reported = 0;
  for (int i = 1; i <= 20; ++i)
    for (int f = 0; f < fileCount; ++f) {
      const pid_t child = fork();
      if (child == 0) {
        /* A part of the memory that the process and the image would need. Freed memory is returned to the system first. */
        malloc_trim(0);
        unsigned long pages = 0;
        FILE* const statm = fopen("/proc/self/statm", "r");
        if (statm == NULL || fscanf(statm, "%lu", &pages) != 1) _exit(4);
        fclose(statm);
        const struct rlimit limit = {pages * 4096 + (rlim_t)(i - 1) * (1 << 16), RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
        for (int t = 0; t < 2; ++t) {
          const uint64_t sum = decode(library, &files[f], t);
          if (sum != files[f].sum && sum != VP8_STATUS_OUT_OF_MEMORY) _exit(1);
          if (sum == VP8_STATUS_OUT_OF_MEMORY) _exit(5);
        }
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 5) ++reported;
      else if (status != 0) fault("too little memory is not reported");
    }
  if (reported == 0) fault("no limit was reached");
  printf("%d files, %d times too little memory, %d faults\n", fileCount, reported, faults);
  return faults != 0;
}
