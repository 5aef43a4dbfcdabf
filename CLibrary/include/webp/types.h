/* Macros, and the allocation functions of PureWebP's C interface. The names and values are libwebp's. */
#ifndef WEBP_WEBP_TYPES_H_
#define WEBP_WEBP_TYPES_H_

#include <inttypes.h>
#include <stddef.h>

/* The keyword for functions in headers. C90 has none. */
#ifndef WEBP_INLINE
#if defined(__cplusplus) || !defined(__STRICT_ANSI__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define WEBP_INLINE inline
#else
#define WEBP_INLINE
#endif
#endif

/* With WEBP_ENABLE_NODISCARD, compilers warn about results that the caller does not use. */
#ifndef WEBP_NODISCARD
#if !defined(WEBP_ENABLE_NODISCARD) || !WEBP_ENABLE_NODISCARD
#define WEBP_NODISCARD
#elif (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define WEBP_NODISCARD [[nodiscard]]
#elif defined(__clang__)
#define WEBP_NODISCARD __attribute__((warn_unused_result))
#else
#define WEBP_NODISCARD
#endif
#endif

#ifndef WEBP_EXTERN
#if defined(__GNUC__) && __GNUC__ >= 4
#define WEBP_EXTERN extern __attribute__((visibility("default")))
#else
#define WEBP_EXTERN extern
#endif
#endif

/* Two versions of the interface are compatible if their upper bytes are equal. */
#define WEBP_ABI_IS_INCOMPATIBLE(a, b) (((a) >> 8) != ((b) >> 8))

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates memory, which WebPFree releases. NULL if there is not enough. */
WEBP_NODISCARD WEBP_EXTERN void* WebPMalloc(size_t size);

/* Releases memory of WebPMalloc, or pixels that a function of decode.h has returned. Ignores NULL. */
WEBP_EXTERN void WebPFree(void* memory);

#ifdef __cplusplus
}
#endif

#endif
