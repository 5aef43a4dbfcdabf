/* A library that is loaded at run time, with all functions of the headers. */
#ifndef LIBRARY_H_
#define LIBRARY_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webp/demux.h>

typedef struct {
  const char* name;
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
} Library;

/* Loads files of which each needs the ones before, such as libsharpyuv, libwebp and libwebpdemux. Ends the program unless
 * each function is in one of these files. `paths` is separated by colons. */
void loadLibrary(Library* library, const char* name, const char* paths);

#endif
