#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>

static void fail(const char* name, const char* reason) {
  fprintf(stderr, "%s: %s\n", name, reason);
  exit(2);
}

/* Finds a function, and proves that it is in one of the files. */
static void* find(void* const* files, char* const* paths, int count, const char* library, const char* name) {
  for (int i = 0; i < count; ++i) {
    void* const function = dlsym(files[i], name);
    Dl_info info;
    if (function == NULL || dladdr(function, &info) == 0) continue;
    char* const from = realpath(info.dli_fname, NULL);
    char* const expected = realpath(paths[i], NULL);
    const int isRight = from != NULL && expected != NULL && strcmp(from, expected) == 0;
    free(from);
    free(expected);
    if (isRight) return function;
  }
  fprintf(stderr, "%s has no function %s of its own\n", library, name);
  exit(2);
}

void loadLibrary(Library* library, const char* name, const char* colonSeparated) {
  static char memory[4][4096];
  char *copy = strdup(colonSeparated), *path, *rest = copy, *paths[4];
  void* files[4];
  int count = 0;
  library->name = name;
  while ((path = strsep(&rest, ":")) != NULL && count < 4) {
    paths[count] = strncpy(memory[count], path, sizeof(memory[count]) - 1);
    files[count] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (files[count] == NULL) fail(name, dlerror());
    ++count;
  }
  free(copy);
#define FUNCTION(result, function, parameters) \
  *(void**)&library->function = find(files, paths, count, name, #function);
#include "functions.h"
#undef FUNCTION
}
