/* The files that the test programs read. */
#ifndef FILES_H_
#define FILES_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the bytes of a file, which the caller releases. After an error, prints it and ends the program. */
static inline uint8_t* readFile(const char* path, size_t* count) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL) { perror(path); exit(2); }
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  uint8_t* const bytes = malloc(*count > 0 ? *count : 1);
  if (bytes == NULL || fread(bytes, 1, *count, file) != *count) { perror(path); exit(2); }
  fclose(file);
  return bytes;
}

#endif
