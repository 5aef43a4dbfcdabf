/* Calls every function of this library and of libwebp with the same arguments, and compares all results.
 *
 *   compare OURS LIBWEBP [--prefixes] [--seed N] FILE…      OURS and LIBWEBP are paths, separated by colons
 *
 * The arguments are derived from the file and the seed. A difference that Documentation/Differences.md lists is not
 * reported. --prefixes repeats the comparison of headers, demuxers and incremental decoders for each prefix of a file. */
#include "files.h"
#include "library.h"

static Library ours, theirs;
static const char* file;
static int differences, exempted, compared;

/* Differences that are listed: the status, if both functions fail. */
static void differ(const char* what, long a, long b) {
  if (++differences <= 400) printf("%s: %s: %ld instead of %ld\n", file, what, a, b);
}

static int same(const char* what, long a, long b) {
  ++compared;
  if (a != b) differ(what, a, b);
  return a == b;
}

static void sameBytes(const char* what, const void* a, const void* b, size_t count) {
  ++compared;
  if (memcmp(a, b, count) != 0) {
    size_t i = 0;
    while (((const uint8_t*)a)[i] == ((const uint8_t*)b)[i]) ++i;
    differ(what, (long)((const uint8_t*)a)[i], (long)((const uint8_t*)b)[i]);
    if (differences <= 400) printf("  at byte %zu of %zu\n", i, count);
  }
}

/* Compares statuses. A file with several errors may have another one. */
static int sameStatus(const char* what, VP8StatusCode a, VP8StatusCode b) {
  ++compared;
  if (a == b) return 1;
  const int fails = a != VP8_STATUS_OK && a != VP8_STATUS_SUSPENDED && b != VP8_STATUS_OK && b != VP8_STATUS_SUSPENDED;
  if (fails) ++exempted; else differ(what, a, b);
  return 0;
}

static uint64_t state;
static uint32_t random32(void) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (uint32_t)(z >> 32);
}
static int below(int count) { return count <= 0 ? 0 : (int)(random32() % (uint32_t)count); }

typedef struct {
  const uint8_t* bytes;
  size_t count;
  int width, height, isLossless;
  int isValid; /* according to libwebp's WebPDecode, for all bytes of the file */
  int hasShortPartition;
} Input;

/* Averages of chroma differ for lossless images that are not scaled. */
static int hasOtherChroma(const Input* in, int mode, const WebPDecoderOptions* options) {
  return in->isLossless && mode >= MODE_YUV && !(options != NULL && options->use_scaling);
}

static int bytesPerPixel(int mode) {
  static const int sizes[] = {3, 4, 3, 4, 4, 2, 2, 4, 4, 4, 2, 1, 1};
  return mode >= 0 && mode < 13 ? sizes[mode] : 4;
}

/* MARK: Headers */

static void compareHeaders(const uint8_t* bytes, size_t count) {
  static const int versions[] = {0x0210, 0x0200, 0x02ff, 0x0110, 0x0300, -1, 0};
  for (int i = 0; i < 7; ++i) {
    WebPBitstreamFeatures a, b;
    memset(&a, 7, sizeof(a));
    b = a;
    same("WebPGetFeatures", ours.WebPGetFeaturesInternal(bytes, count, &a, versions[i]),
         theirs.WebPGetFeaturesInternal(bytes, count, &b, versions[i]));
    sameBytes("features", &a, &b, sizeof(a));
  }
  int a[2] = {-1, -2}, b[2] = {-1, -2};
  same("WebPGetInfo", ours.WebPGetInfo(bytes, count, a, a + 1), theirs.WebPGetInfo(bytes, count, b, b + 1));
  sameBytes("size", a, b, sizeof(a));
  same("WebPGetInfo without size", ours.WebPGetInfo(bytes, count, NULL, NULL), theirs.WebPGetInfo(bytes, count, NULL, NULL));
}

/* MARK: Simple functions */

static void compareSimple(const Input* in) {
#define ALL(S) S(RGBA, 4) S(ARGB, 4) S(BGRA, 4) S(RGB, 3) S(BGR, 3)
#define SIMPLE(name, size)                                                                        \
  {                                                                                               \
    int a[2] = {-1, -2}, b[2] = {-1, -2};                                                         \
    uint8_t* const p = ours.WebPDecode##name(in->bytes, in->count, a, a + 1);                     \
    uint8_t* const q = theirs.WebPDecode##name(in->bytes, in->count, b, b + 1);                   \
    if (same("WebPDecode" #name, p != NULL, q != NULL) && p != NULL)                              \
      sameBytes("pixels of WebPDecode" #name, p, q, (size_t)size * (size_t)b[0] * (size_t)b[1]);  \
    sameBytes("size of WebPDecode" #name, a, b, sizeof(a));                                       \
    ours.WebPFree(p);                                                                             \
    theirs.WebPFree(q);                                                                           \
  }
  ALL(SIMPLE)
  int a[4] = {-1, -2, -3, -4}, b[4] = {-1, -2, -3, -4};
  uint8_t *u = NULL, *v = NULL, *u2 = NULL, *v2 = NULL;
  uint8_t* const p = ours.WebPDecodeYUV(in->bytes, in->count, a, a + 1, &u, &v, a + 2, a + 3);
  uint8_t* const q = theirs.WebPDecodeYUV(in->bytes, in->count, b, b + 1, &u2, &v2, b + 2, b + 3);
  if (same("WebPDecodeYUV", p != NULL, q != NULL) && p != NULL) {
    same("distance of U", u - p, u2 - q);
    same("distance of V", v - p, v2 - q);
    sameBytes("pixels of WebPDecodeYUV", p, q,
              (size_t)b[0] * (size_t)b[1] + (hasOtherChroma(in, MODE_YUV, NULL) ? 0 : 2u * (size_t)b[3] * ((size_t)(b[1] + 1) / 2)));
  }
  sameBytes("size of WebPDecodeYUV", a, b, sizeof(a));
  same("WebPDecodeYUV without U", NULL == ours.WebPDecodeYUV(in->bytes, in->count, a, a + 1, NULL, &v, a + 2, a + 3), 1);
  ours.WebPFree(p);
  theirs.WebPFree(q);
}

/* Memory of two equal parts, one for each library, with bytes around the output that must not change. */
typedef struct { uint8_t *a, *b; size_t count; } Memory;
enum { kMargin = 64 };
static Memory allocate(size_t count) {
  Memory m = {malloc(count + 2 * kMargin), malloc(count + 2 * kMargin), count};
  if (m.a == NULL || m.b == NULL) exit(3);
  for (size_t i = 0; i < count + 2 * kMargin; ++i) m.a[i] = m.b[i] = (uint8_t)(i * 37 + 11);
  return m;
}
static void release(Memory m) { free(m.a); free(m.b); }

/* After an error, only the bytes outside of the rows are compared. */
static void sameMemory(const char* what, Memory m, int isValid, int stride, int rowBytes, int height) {
  if (!isValid && stride != 0) {
    const size_t step = (size_t)abs(stride);
    for (int y = 0; y < height; ++y)
      for (size_t x = 0; x < (size_t)rowBytes; ++x) {
        const size_t at = kMargin + (size_t)y * step + x;
        if (at < kMargin + m.count) m.a[at] = m.b[at] = 0;
      }
  }
  sameBytes(what, m.a, m.b, m.count + 2 * kMargin);
}

static void compareInto(const Input* in) {
  for (int i = 0; i < 8; ++i) {
    const int width = in->width, height = in->height;
    const int gap = i == 0 ? 0 : below(3) ? below(20) : 0, isShort = below(6) == 0, isNarrow = below(8) == 0;
    const int isFlipped = below(2);
#define INTO(name, size)                                                                                          \
  {                                                                                                               \
    const int stride = size * width + gap - (isNarrow ? 1 : 0);                                                   \
    const size_t count = (size_t)abs(stride) * (size_t)(height - 1) + (size_t)(size * width);                     \
    const Memory m = allocate(count + 8);                                                                         \
    const ptrdiff_t start = kMargin + (isFlipped ? (ptrdiff_t)abs(stride) * (height - 1) : 0);                    \
    const size_t declared = isShort ? count - 1 : count + (size_t)below(8);                                       \
    uint8_t* const p = ours.WebPDecode##name##Into(in->bytes, in->count, m.a + start, declared, isFlipped ? -stride : stride);   \
    uint8_t* const q = theirs.WebPDecode##name##Into(in->bytes, in->count, m.b + start, declared, isFlipped ? -stride : stride); \
    if (same("WebPDecode" #name "Into", p != NULL, q != NULL) && p != NULL) same("result", p - m.a, q - m.b);     \
    sameMemory("memory of WebPDecode" #name "Into", m, p != NULL, stride, size * width, height);                  \
    release(m);                                                                                                   \
  }
    ALL(INTO)
  }
  same("Into NULL", ours.WebPDecodeRGBAInto(in->bytes, in->count, NULL, 100, 4) != NULL, 0);
  if (hasOtherChroma(in, MODE_YUV, NULL)) return;
  for (int i = 0; i < 8; ++i) {
    const int width = in->width, height = in->height, w2 = (width + 1) / 2, h2 = (height + 1) / 2;
    const int ys = width + below(5) - (below(8) == 0), us = w2 + below(5) - (below(8) == 0), vs = w2 + below(5);
    const size_t yc = (size_t)abs(ys) * (size_t)(height - 1) + (size_t)width, uc = (size_t)abs(us) * (size_t)(h2 - 1) + (size_t)w2;
    const size_t vc = (size_t)vs * (size_t)(h2 - 1) + (size_t)w2;
    const int fy = below(3) == 0, fu = below(3) == 0, fv = below(3) == 0;
    const Memory y = allocate(yc), u = allocate(uc), v = allocate(vc);
    const ptrdiff_t sy = kMargin + (fy ? (ptrdiff_t)ys * (height - 1) : 0), su = kMargin + (fu ? (ptrdiff_t)us * (h2 - 1) : 0);
    const ptrdiff_t sv = kMargin + (fv ? (ptrdiff_t)vs * (h2 - 1) : 0);
    const size_t cut = below(6) == 0;
    uint8_t* const p = ours.WebPDecodeYUVInto(in->bytes, in->count, y.a + sy, yc, fy ? -ys : ys, u.a + su, uc, fu ? -us : us,
                                              v.a + sv, vc - cut, fv ? -vs : vs);
    uint8_t* const q = theirs.WebPDecodeYUVInto(in->bytes, in->count, y.b + sy, yc, fy ? -ys : ys, u.b + su, uc, fu ? -us : us,
                                                v.b + sv, vc - cut, fv ? -vs : vs);
    same("WebPDecodeYUVInto", p != NULL, q != NULL);
    sameMemory("Y of WebPDecodeYUVInto", y, p != NULL, ys, width, height);
    sameMemory("U of WebPDecodeYUVInto", u, p != NULL, us, w2, h2);
    sameMemory("V of WebPDecodeYUVInto", v, p != NULL, vs, w2, h2);
    release(y);
    release(u);
    release(v);
  }
}

/* MARK: Options */

static void randomOptions(const Input* in, WebPDecoderOptions* o) {
  o->bypass_filtering = below(4) == 0;
  o->no_fancy_upsampling = below(3) == 0;
  if (below(3) == 0) {
    o->use_cropping = 1 + below(2);
    o->crop_left = below(in->width) - (below(12) == 0);
    o->crop_top = below(in->height) - (below(12) == 0);
    o->crop_width = 1 + below(in->width - o->crop_left) - (below(16) == 0);
    o->crop_height = 1 + below(in->height - o->crop_top) + (below(12) == 0);
  }
  if (below(3) == 0) {
    o->use_scaling = 1;
    o->scaled_width = below(5) ? 1 + below(2 * in->width) : 0;
    o->scaled_height = below(5) ? 1 + below(2 * in->height) : 0;
    if (below(20) == 0) o->scaled_width = -1;
  }
  o->dithering_strength = below(3) ? 0 : below(140) - 20;
  o->alpha_dithering_strength = below(3) ? 0 : below(140) - 20;
  o->flip = below(4) == 0;
  o->use_threads = below(3) == 0;
}

/* The fields of a buffer that do not depend on addresses. */
static void sameBuffer(const char* what, const WebPDecBuffer* a, const WebPDecBuffer* b) {
  int x[8] = {(int)a->colorspace, a->width, a->height, a->is_external_memory, a->private_memory != NULL};
  int y[8] = {(int)b->colorspace, b->width, b->height, b->is_external_memory, b->private_memory != NULL};
  sameBytes(what, x, y, sizeof(x));
  if (b->colorspace < MODE_YUV) {
    same("stride", a->u.RGBA.stride, b->u.RGBA.stride);
    same("memory size", (long)a->u.RGBA.size, (long)b->u.RGBA.size);
  } else if (b->colorspace < MODE_LAST) {
    sameBytes("strides and sizes", &a->u.YUVA.y_stride, &b->u.YUVA.y_stride, 4 * sizeof(int) + 4 * sizeof(size_t));
    if (same("U", a->u.YUVA.u == NULL, b->u.YUVA.u == NULL) && b->u.YUVA.u != NULL) {
      same("distance of U", a->u.YUVA.u - a->u.YUVA.y, b->u.YUVA.u - b->u.YUVA.y);
      same("distance of V", a->u.YUVA.v - a->u.YUVA.y, b->u.YUVA.v - b->u.YUVA.y);
    }
    same("A", a->u.YUVA.a == NULL, b->u.YUVA.a == NULL);
  }
}

static void samePlane(const char* what, const uint8_t* a, int aStride, const uint8_t* b, int bStride, int rowBytes, int rows) {
  ++compared;
  for (int y = 0; y < rows; ++y)
    if (memcmp(a + (ptrdiff_t)y * aStride, b + (ptrdiff_t)y * bStride, (size_t)rowBytes) != 0) {
      differ(what, y, rows);
      return;
    }
}

/* Compares the first rows of two valid buffers. */
static void samePixels(const Input* in, const WebPDecoderOptions* options, const WebPDecBuffer* a, const WebPDecBuffer* b, int rows) {
  const int mode = (int)b->colorspace;
  if (mode < MODE_YUV) {
    samePlane("pixels", a->u.RGBA.rgba, a->u.RGBA.stride, b->u.RGBA.rgba, b->u.RGBA.stride, b->width * bytesPerPixel(mode), rows);
    return;
  }
  const WebPYUVABuffer *p = &a->u.YUVA, *q = &b->u.YUVA;
  const int halfRows = rows == b->height ? (rows + 1) / 2 : rows / 2;
  samePlane("Y", p->y, p->y_stride, q->y, q->y_stride, b->width, rows);
  if (mode == MODE_YUVA) samePlane("A", p->a, p->a_stride, q->a, q->a_stride, b->width, rows);
  if (hasOtherChroma(in, mode, options)) return;
  samePlane("U", p->u, p->u_stride, q->u, q->u_stride, (b->width + 1) / 2, halfRows);
  samePlane("V", p->v, p->v_stride, q->v, q->v_stride, (b->width + 1) / 2, halfRows);
}

/* The caller's memory for an output of any size up to that of the input, twice enlarged. */
static void setExternal(const Input* in, WebPDecBuffer* a, WebPDecBuffer* b, Memory* m) {
  const int mode = (int)a->colorspace, width = below(4) ? in->width : 2 * in->width, height = below(4) ? in->height : 2 * in->height;
  const int gap = below(16), external = 1 + below(3);
  a->is_external_memory = b->is_external_memory = external;
  if (mode < MODE_YUV) {
    const int stride = bytesPerPixel(mode) * width + gap;
    *m = allocate((size_t)stride * (size_t)height);
    const int isFlipped = below(4) == 0;
    const ptrdiff_t start = kMargin;
    a->u.RGBA.rgba = m->a + start;
    b->u.RGBA.rgba = m->b + start;
    a->u.RGBA.stride = b->u.RGBA.stride = stride;
    a->u.RGBA.size = b->u.RGBA.size = m->count - (size_t)(below(8) == 0 ? below(in->width) : 0);
    (void)isFlipped;
  } else {
    const int s = width + gap, h = height;
    const size_t plane = (size_t)s * (size_t)h;
    *m = allocate(4 * plane);
    for (int i = 0; i < 2; ++i) {
      WebPDecBuffer* const buffer = i == 0 ? a : b;
      uint8_t* const base = (i == 0 ? m->a : m->b) + kMargin;
      /* The planes are not in their usual order. */
      buffer->u.YUVA.v = base;
      buffer->u.YUVA.y = base + plane;
      buffer->u.YUVA.u = base + 2 * plane;
      buffer->u.YUVA.a = base + 3 * plane;
      buffer->u.YUVA.y_stride = buffer->u.YUVA.a_stride = s;
      buffer->u.YUVA.u_stride = buffer->u.YUVA.v_stride = s / 2 + 1;
      buffer->u.YUVA.y_size = buffer->u.YUVA.u_size = buffer->u.YUVA.v_size = buffer->u.YUVA.a_size = plane;
    }
    if (below(8) == 0) a->u.YUVA.u = b->u.YUVA.u = NULL;
    /* If it is not NULL, libwebp writes alpha there in MODE_YUV too, without a check of its size. */
    if (mode == MODE_YUV) a->u.YUVA.a = b->u.YUVA.a = NULL;
  }
}

static void initialize(WebPDecoderConfig* a, WebPDecoderConfig* b) {
  memset(a, 1, sizeof(*a));
  memset(b, 1, sizeof(*b));
  same("WebPInitDecoderConfig", ours.WebPInitDecoderConfigInternal(a, 0x0210), theirs.WebPInitDecoderConfigInternal(b, 0x0210));
  sameBytes("configuration", a, b, sizeof(*a));
}

static void compareOptions(const Input* in, int count) {
  for (int i = 0; i < count; ++i) {
    WebPDecoderConfig a, b;
    Memory m = {NULL, NULL, 0};
    initialize(&a, &b);
    a.output.colorspace = b.output.colorspace = (WEBP_CSP_MODE)(below(20) == 0 ? below(40) : below(13));
    randomOptions(in, &a.options);
    b.options = a.options;
    same("WebPValidateDecoderConfig", ours.WebPValidateDecoderConfig(&a), theirs.WebPValidateDecoderConfig(&b));
    if (below(3) == 0 && (int)a.output.colorspace < MODE_LAST) setExternal(in, &a.output, &b.output, &m);
    const VP8StatusCode p = ours.WebPDecode(in->bytes, in->count, &a), q = theirs.WebPDecode(in->bytes, in->count, &b);
    const int before = differences;
    const int isEqual = sameStatus("WebPDecode", p, q);
    sameBytes("input", &a.input, &b.input, sizeof(a.input));
    same("WebPValidateDecoderConfig with size", ours.WebPValidateDecoderConfig(&a), theirs.WebPValidateDecoderConfig(&b));
    if (isEqual) sameBuffer("output", &a.output, &b.output);
    if (p == VP8_STATUS_OK && q == VP8_STATUS_OK) {
      if (!hasOtherChroma(in, (int)b.output.colorspace, &a.options) && m.a != NULL) {
        sameBytes("caller's memory", m.a, m.b, m.count + 2 * kMargin);
      }
      samePixels(in, &a.options, &a.output, &b.output, b.output.height);
    }
    if (differences != before && differences <= 400) {
      const WebPDecoderOptions* const o = &a.options;
      printf("  mode %d external %d crop %d: %d %d %d %d scale %d: %d %d dither %d %d flip %d filter %d fancy %d\n",
             (int)b.output.colorspace, b.output.is_external_memory, o->use_cropping, o->crop_left, o->crop_top, o->crop_width,
             o->crop_height, o->use_scaling, o->scaled_width, o->scaled_height, o->dithering_strength,
             o->alpha_dithering_strength, o->flip, !o->bypass_filtering, !o->no_fancy_upsampling);
    }
    ours.WebPFreeDecBuffer(&a.output);
    theirs.WebPFreeDecBuffer(&b.output);
    same("private memory", a.output.private_memory != NULL, b.output.private_memory != NULL);
    release(m);
  }
}

/* MARK: Incremental decoding */

typedef struct { WebPIDecoder *a, *b; WebPDecoderConfig *ac, *bc; int mode; } Decoders;

/* Compares what a caller can see after a call. Returns libwebp's number of rows. */
static int compareShown(const Input* in, const Decoders* d, int isLast) {
  int x[4] = {-1, -1, -1, -1}, y[4] = {-1, -1, -1, -1};
  const WebPDecBuffer* const p = ours.WebPIDecodedArea(d->a, x, x + 1, x + 2, x + 3);
  const WebPDecBuffer* const q = theirs.WebPIDecodedArea(d->b, y, y + 1, y + 2, y + 3);
  if (!same("WebPIDecodedArea", p != NULL, q != NULL)) return -1;
  if (q == NULL) {
    sameBytes("area", x, y, sizeof(x));
    same("WebPIDecGetRGB", ours.WebPIDecGetRGB(d->a, NULL, NULL, NULL, NULL) != NULL, 0);
    return -1;
  }
  const WebPDecoderOptions* const options = d->ac == NULL ? NULL : &d->ac->options;
  /* Rows of lossless images, and of scaled planes, may be finished later. */
  const int mayLag = in->isLossless || (options != NULL && options->use_scaling && d->mode >= MODE_YUV);
  const int rows = y[3];
  if (mayLag && !isLast && x[3] <= rows) x[3] = rows;
  sameBytes("area", x, y, sizeof(x));
  if (d->mode < MODE_YUV) {
    int a[4] = {-1, -1, -1, -1}, b[4] = {-1, -1, -1, -1};
    const uint8_t* const c = ours.WebPIDecGetRGB(d->a, a, a + 1, a + 2, a + 3);
    const uint8_t* const e = theirs.WebPIDecGetRGB(d->b, b, b + 1, b + 2, b + 3);
    if (!same("WebPIDecGetRGB", c != NULL, e != NULL) || e == NULL) return rows;
    const int finished = a[0] < b[0] ? a[0] : b[0];
    if (mayLag && !isLast && a[0] <= b[0]) a[0] = b[0];
    sameBytes("WebPIDecGetRGB", a, b, sizeof(a));
    if (b[1] > 0 && strstr(file, "vp8-partition-") == NULL)
      samePlane("finished rows", c, a[3], e, b[3], b[1] * bytesPerPixel(d->mode), finished);
    same("WebPIDecGetYUVA", ours.WebPIDecGetYUVA(d->a, a, NULL, NULL, NULL, a, a, a, a, a) != NULL, 0);
  } else {
    int a[6] = {-1, -1, -1, -1, -1, -1}, b[6] = {-1, -1, -1, -1, -1, -1};
    uint8_t *u[2], *v[2], *t[2];
    const uint8_t* const c = ours.WebPIDecGetYUVA(d->a, a, u, v, t, a + 1, a + 2, a + 3, a + 4, a + 5);
    const uint8_t* const e = theirs.WebPIDecGetYUVA(d->b, b, u + 1, v + 1, t + 1, b + 1, b + 2, b + 3, b + 4, b + 5);
    if (!same("WebPIDecGetYUVA", c != NULL, e != NULL) || e == NULL) return rows;
    const int finished = a[0] < b[0] ? a[0] : b[0];
    if (mayLag && !isLast && a[0] <= b[0]) a[0] = b[0];
    sameBytes("WebPIDecGetYUVA", a, b, sizeof(a));
    same("plane of alpha", t[0] != NULL, t[1] != NULL);
    if (b[1] > 0 && strstr(file, "vp8-partition-") == NULL)
      samePlane("finished rows of Y", c, a[3], e, b[3], b[1], finished);
  }
  return rows;
}

static VP8StatusCode step(const Library* l, WebPIDecoder* d, const uint8_t* bytes, size_t from, size_t to, int updates) {
  return updates ? l->WebPIUpdate(d, bytes, to) : l->WebPIAppend(d, bytes + from, to - from);
}

/* Decodes the first `count` bytes in steps. */
static void compareSteps(const Input* in, Decoders d, size_t count, int steps) {
  const int updates = below(2), isMixed = below(10) == 0;
  size_t from = 0;
  int isOver = 0;
  for (int i = 0; i < steps; ++i) {
    const size_t to = i == steps - 1 ? count : from + (size_t)below((int)(count - from) + 1);
    const VP8StatusCode p = step(&ours, d.a, in->bytes, from, to, updates), q = step(&theirs, d.b, in->bytes, from, to, updates);
    from = to;
    ++compared;
    /* libwebp's incremental decoder rejects frames with a short first partition, before their rows. */
    if (in->hasShortPartition && q == VP8_STATUS_BITSTREAM_ERROR) { ++exempted; return; }
    /* libwebp finds errors of alpha before rows that they do not affect. */
    if (q == VP8_STATUS_USER_ABORT && (p == VP8_STATUS_SUSPENDED || p == VP8_STATUS_USER_ABORT)) { ++exempted; return; }
    if (p != q) {
      /* An error that is certain before all bytes have arrived is reported immediately. */
      const int isEarly = !in->isValid && q == VP8_STATUS_SUSPENDED && p != VP8_STATUS_OK;
      /* libwebp's incremental decoder rejects some valid files. */
      const int isRejected = in->isValid && q == VP8_STATUS_BITSTREAM_ERROR;
      /* libwebp decodes the rows below a crop. Until then, it does not copy to slow memory, which may be too small. */
      const int isCropping = d.ac != NULL && d.ac->options.use_cropping;
      const int isTooSmall = p == VP8_STATUS_INVALID_PARAM && q == VP8_STATUS_SUSPENDED;
      const int isCropped = isCropping && q != VP8_STATUS_OK &&
                            (p == VP8_STATUS_OK || (isTooSmall && d.ac->output.is_external_memory > 1));
      /* Partitions that start with 0xFF depend on how the bytes arrive. */
      const int isOutside = strstr(file, "vp8-partition-") != NULL;
      if (isEarly || isRejected || isCropped || isOutside) { ++exempted; return; }
      sameStatus("incremental status", p, q);
      return;
    }
    if (isMixed && q == VP8_STATUS_SUSPENDED)
      same("mixed calls", step(&ours, d.a, in->bytes, from, to, !updates), step(&theirs, d.b, in->bytes, from, to, !updates));
    isOver = q != VP8_STATUS_SUSPENDED;
    compareShown(in, &d, q == VP8_STATUS_OK);
    if (isOver) {
      same("call after the end", step(&ours, d.a, in->bytes, from, to, updates), step(&theirs, d.b, in->bytes, from, to, updates));
      if (below(2)) break;
    }
  }
}

static void compareIncremental(const Input* in, size_t count, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int kind = below(5), mode = below(13), steps = below(3) == 0 ? 1 : 1 + below(12);
    Memory m = {NULL, NULL, 0};
    WebPDecoderConfig a, b;
    initialize(&a, &b);
    Decoders d = {NULL, NULL, NULL, NULL, mode};
    a.output.colorspace = b.output.colorspace = (WEBP_CSP_MODE)mode;
    if (kind == 0) {
      d.a = ours.WebPINewDecoder(NULL);
      d.b = theirs.WebPINewDecoder(NULL);
      d.mode = MODE_RGB;
    } else if (kind == 1) {
      if (below(3) == 0) setExternal(in, &a.output, &b.output, &m);
      d.a = ours.WebPINewDecoder(&a.output);
      d.b = theirs.WebPINewDecoder(&b.output);
    } else if (kind == 2) {
      const int isExternal = below(2), stride = 4 * in->width + below(9);
      if (isExternal) m = allocate((size_t)stride * (size_t)in->height);
      d.a = ours.WebPINewRGB((WEBP_CSP_MODE)mode, isExternal ? m.a + kMargin : NULL, m.count, stride);
      d.b = theirs.WebPINewRGB((WEBP_CSP_MODE)mode, isExternal ? m.b + kMargin : NULL, m.count, stride);
    } else if (kind == 3) {
      const int isExternal = below(2), s = in->width + below(5), hasAlpha = below(2);
      const size_t plane = (size_t)s * (size_t)in->height;
      if (isExternal) m = allocate(4 * plane);
      uint8_t *x = m.a, *y = m.b;
      d.a = ours.WebPINewYUVA(x, plane, s, x + plane, plane, s, x + 2 * plane, plane, s, hasAlpha ? x + 3 * plane : NULL, plane, s);
      d.b = theirs.WebPINewYUVA(y, plane, s, y + plane, plane, s, y + 2 * plane, plane, s, hasAlpha ? y + 3 * plane : NULL, plane, s);
      d.mode = isExternal && !hasAlpha ? MODE_YUV : MODE_YUVA;
    } else {
      randomOptions(in, &a.options);
      b.options = a.options;
      b.options.use_threads = 0; /* With threads, libwebp finishes rows later. */
      if (below(3) == 0) setExternal(in, &a.output, &b.output, &m);
      d.ac = &a;
      d.bc = &b;
      const size_t known = below(2) ? count : 0;
      d.a = ours.WebPIDecode(known ? in->bytes : NULL, known, &a);
      d.b = theirs.WebPIDecode(known ? in->bytes : NULL, known, &b);
      sameBytes("input of WebPIDecode", &a.input, &b.input, sizeof(a.input));
    }
    const int before = differences;
    if (same("incremental decoder", d.a != NULL, d.b != NULL) && d.b != NULL) {
      compareSteps(in, d, count, steps);
      if (differences != before && differences <= 400)
        printf("  kind %d mode %d steps %d bytes %zu of %zu external %d crop %d scale %d flip %d\n", kind, d.mode, steps, count,
               in->count, b.output.is_external_memory, a.options.use_cropping, a.options.use_scaling, a.options.flip);
    }
    ours.WebPIDelete(d.a);
    theirs.WebPIDelete(d.b);
    ours.WebPFreeDecBuffer(&a.output);
    theirs.WebPFreeDecBuffer(&b.output);
    release(m);
  }
}

/* MARK: Demuxing */

static void sameData(const char* what, WebPData a, WebPData b, const uint8_t* base) {
  same(what, (long)a.size, (long)b.size);
  same(what, a.bytes == NULL ? -1 : a.bytes - base, b.bytes == NULL ? -1 : b.bytes - base);
}

static void sameIterator(WebPIterator a, WebPIterator b, const uint8_t* base) {
  sameData("fragment", a.fragment, b.fragment, base);
  a.fragment = b.fragment;
  a.private_ = b.private_;
  sameBytes("iterator", &a, &b, sizeof(a));
}

static void sameChunk(WebPChunkIterator a, WebPChunkIterator b, const uint8_t* base) {
  sameData("chunk", a.chunk, b.chunk, base);
  a.chunk = b.chunk;
  a.private_ = b.private_;
  sameBytes("chunk iterator", &a, &b, sizeof(a));
}

static void compareFile(const WebPDemuxer* p, const WebPDemuxer* q, const uint8_t* base) {
  for (int f = 0; f < 8; ++f) {
    if (!same("WebPDemuxGetI", ours.WebPDemuxGetI(p, (WebPFormatFeature)f), theirs.WebPDemuxGetI(q, (WebPFormatFeature)f)) && differences <= 400)
      printf("  feature %d\n", f);
  }
  const int frames = (int)theirs.WebPDemuxGetI(q, WEBP_FF_FRAME_COUNT);
  WebPIterator a, b;
  for (int n = -1; n <= (frames > 20 ? 20 : frames) + 1; ++n) {
    memset(&a, 3, sizeof(a));
    b = a;
    same("WebPDemuxGetFrame", ours.WebPDemuxGetFrame(p, n, &a), theirs.WebPDemuxGetFrame(q, n, &b));
    sameIterator(a, b, base);
    for (int i = 0; i < 3; ++i) {
      const int next = below(2);
      same("next frame", next ? ours.WebPDemuxNextFrame(&a) : ours.WebPDemuxPrevFrame(&a),
           next ? theirs.WebPDemuxNextFrame(&b) : theirs.WebPDemuxPrevFrame(&b));
      sameIterator(a, b, base);
    }
    ours.WebPDemuxReleaseIterator(&a);
    theirs.WebPDemuxReleaseIterator(&b);
  }
  static const char* const names[] = {"ICCP", "EXIF", "XMP ", "ANIM", "VP8 ", "ALPH", "abcd", "UNKN", "JUNK", "XXXX", "\0\0\0\0"};
  for (int i = 0; i < 11; ++i)
    for (int n = -1; n <= 3; ++n) {
      WebPChunkIterator c, d;
      memset(&c, 3, sizeof(c));
      d = c;
      const int found = theirs.WebPDemuxGetChunk(q, names[i], n, &d);
      same("WebPDemuxGetChunk", ours.WebPDemuxGetChunk(p, names[i], n, &c), found);
      sameChunk(c, d, base);
      if (!found) continue;
      same("next chunk", ours.WebPDemuxNextChunk(&c), theirs.WebPDemuxNextChunk(&d));
      same("previous chunk", ours.WebPDemuxPrevChunk(&c), theirs.WebPDemuxPrevChunk(&d));
      sameChunk(c, d, base);
      ours.WebPDemuxReleaseChunkIterator(&c);
      theirs.WebPDemuxReleaseChunkIterator(&d);
    }
}

static void compareDemuxer(const uint8_t* bytes, size_t count) {
  const WebPData data = {bytes, count};
  for (int i = 0; i < 5; ++i) {
    const int version = i < 3 ? 0x0107 : i == 3 ? 0x0200 : 0x01ff, isPartial = i == 1 || i == 2;
    WebPDemuxState s = (WebPDemuxState)9, t = (WebPDemuxState)9;
    WebPDemuxer* const p = ours.WebPDemuxInternal(&data, isPartial, i == 2 ? NULL : &s, version);
    WebPDemuxer* const q = theirs.WebPDemuxInternal(&data, isPartial, i == 2 ? NULL : &t, version);
    same("state of the demuxer", s, t);
    if (same(isPartial ? "WebPDemuxPartial" : "WebPDemux", p != NULL, q != NULL) && q != NULL && i < 2) compareFile(p, q, bytes);
    ours.WebPDemuxDelete(p);
    theirs.WebPDemuxDelete(q);
  }
}

/* MARK: Animations */

static void compareAnimation(const Input* in) {
  static const int modes[] = {MODE_RGBA, MODE_BGRA, MODE_rgbA, MODE_bgrA, MODE_RGB, MODE_YUV, 77};
  const WebPData data = {in->bytes, in->count};
  for (int i = 0; i < 8; ++i) {
    WebPAnimDecoderOptions a, b;
    memset(&a, 5, sizeof(a));
    b = a;
    same("WebPAnimDecoderOptionsInit", ours.WebPAnimDecoderOptionsInitInternal(&a, 0x0107), theirs.WebPAnimDecoderOptionsInitInternal(&b, 0x0107));
    sameBytes("animation options", &a, &b, sizeof(a));
    a.color_mode = b.color_mode = (WEBP_CSP_MODE)modes[i % 7];
    a.use_threads = b.use_threads = below(2);
    const int isDefault = i == 7;
    WebPAnimDecoder* const p = ours.WebPAnimDecoderNewInternal(&data, isDefault ? NULL : &a, 0x0100);
    WebPAnimDecoder* const q = theirs.WebPAnimDecoderNewInternal(&data, isDefault ? NULL : &b, 0x0100);
    if (same("WebPAnimDecoderNew", p != NULL, q != NULL) && q != NULL) {
      WebPAnimInfo x, y;
      memset(&x, 0, sizeof(x));
      memset(&y, 0, sizeof(y));
      same("WebPAnimDecoderGetInfo", ours.WebPAnimDecoderGetInfo(p, &x), theirs.WebPAnimDecoderGetInfo(q, &y));
      sameBytes("info", &x, &y, sizeof(x));
      if (i == 0) compareFile(ours.WebPAnimDecoderGetDemuxer(p), theirs.WebPAnimDecoderGetDemuxer(q), in->bytes);
      int resets = below(3), frames = 0;
      while (frames++ < 60) {
        uint8_t *c = NULL, *d = NULL;
        int s = -7, t = -7;
        same("WebPAnimDecoderHasMoreFrames", ours.WebPAnimDecoderHasMoreFrames(p), theirs.WebPAnimDecoderHasMoreFrames(q));
        const int isThere = theirs.WebPAnimDecoderGetNext(q, &d, &t);
        if (!same("WebPAnimDecoderGetNext", ours.WebPAnimDecoderGetNext(p, &c, &s), isThere)) break;
        same("timestamp", s, t);
        if (isThere) sameBytes("canvas", c, d, 4u * (size_t)y.canvas_width * (size_t)y.canvas_height);
        if (!isThere || below(16) == 0) {
          if (resets-- <= 0) break;
          ours.WebPAnimDecoderReset(p);
          theirs.WebPAnimDecoderReset(q);
        }
      }
    }
    ours.WebPAnimDecoderDelete(p);
    theirs.WebPAnimDecoderDelete(q);
  }
}

/* MARK: Wrong arguments */

static void compareWrongArguments(void) {
  file = "(wrong arguments)";
  const Library* const l[2] = {&ours, &theirs};
  long r[2][40];
  uint8_t bytes[64] = "RIFF";
  for (int i = 0; i < 2; ++i) {
    WebPDecoderConfig config;
    WebPDecBuffer buffer;
    WebPBitstreamFeatures features;
    WebPIterator iterator;
    WebPChunkIterator chunk;
    WebPAnimDecoderOptions options;
    WebPData data = {NULL, 0}, empty = {bytes, 0};
    WebPDemuxState s = (WebPDemuxState)5;
    int n = 0;
    long* const x = r[i];
    memset(x, 0, sizeof(r[i]));
    memset(&iterator, 0, sizeof(iterator));
    memset(&chunk, 0, sizeof(chunk));
    x[n++] = l[i]->WebPGetFeaturesInternal(NULL, 10, &features, 0x0210);
    x[n++] = l[i]->WebPGetFeaturesInternal(bytes, 10, NULL, 0x0210);
    x[n++] = l[i]->WebPGetInfo(NULL, 0, NULL, NULL);
    x[n++] = l[i]->WebPDecodeRGBA(NULL, 0, NULL, NULL) != NULL;
    x[n++] = l[i]->WebPDecodeRGBAInto(NULL, 0, bytes, 64, 4) != NULL;
    x[n++] = l[i]->WebPInitDecBufferInternal(NULL, 0x0210);
    x[n++] = l[i]->WebPInitDecBufferInternal(&buffer, 0x0110);
    x[n++] = l[i]->WebPInitDecBufferInternal(&buffer, 0x0299);
    x[n++] = l[i]->WebPInitDecoderConfigInternal(NULL, 0x0210);
    x[n++] = l[i]->WebPInitDecoderConfigInternal(&config, 0x0310);
    x[n++] = l[i]->WebPInitDecoderConfigInternal(&config, 0x0210);
    x[n++] = l[i]->WebPValidateDecoderConfig(NULL);
    x[n++] = l[i]->WebPDecode(NULL, 0, &config);
    x[n++] = l[i]->WebPDecode(bytes, 64, NULL);
    x[n++] = l[i]->WebPIAppend(NULL, bytes, 1);
    x[n++] = l[i]->WebPIUpdate(NULL, bytes, 1);
    x[n++] = l[i]->WebPIDecGetRGB(NULL, NULL, NULL, NULL, NULL) != NULL;
    x[n++] = l[i]->WebPINewRGB(MODE_YUV, NULL, 0, 0) != NULL;
    x[n++] = l[i]->WebPINewRGB(MODE_RGB, bytes, 0, 3) != NULL;
    x[n++] = l[i]->WebPINewRGB(MODE_RGB, bytes, 64, 0) != NULL;
    x[n++] = l[i]->WebPINewYUV(bytes, 1, 1, NULL, 1, 1, bytes, 1, 1) != NULL;
    x[n++] = l[i]->WebPINewYUVA(bytes, 1, 1, bytes, 1, 1, bytes, 1, 1, bytes, 0, 1) != NULL;
    x[n++] = l[i]->WebPIDecode(bytes, 64, &config) != NULL;
    WebPIDecoder* const d = l[i]->WebPINewDecoder(NULL);
    x[n++] = l[i]->WebPIAppend(d, NULL, 1);
    x[n++] = l[i]->WebPIAppend(d, bytes, (size_t)-1);
    x[n++] = l[i]->WebPIAppend(d, bytes, 0);
    x[n++] = l[i]->WebPIUpdate(d, bytes, 4);
    l[i]->WebPIDelete(d);
    l[i]->WebPIDelete(NULL);
    WebPIDecoder* const e = l[i]->WebPINewDecoder(NULL);
    x[n++] = l[i]->WebPIUpdate(e, bytes, 8);
    x[n++] = l[i]->WebPIUpdate(e, bytes, 7);
    x[n++] = l[i]->WebPIUpdate(e, bytes, 9);
    l[i]->WebPIDelete(e);
    x[n++] = l[i]->WebPDemuxInternal(NULL, 0, &s, 0x0107) != NULL;
    x[n++] = l[i]->WebPDemuxInternal(&data, 0, &s, 0x0107) != NULL;
    x[n++] = l[i]->WebPDemuxInternal(&empty, 1, &s, 0x0107) != NULL;
    x[n++] = s;
    x[n++] = (long)l[i]->WebPDemuxGetI(NULL, WEBP_FF_CANVAS_WIDTH);
    x[n++] = l[i]->WebPDemuxGetFrame(NULL, 1, &iterator) + 2 * l[i]->WebPDemuxNextFrame(&iterator) + 4 * l[i]->WebPDemuxNextFrame(NULL);
    x[n++] = l[i]->WebPDemuxGetChunk(NULL, "EXIF", 1, &chunk) + 2 * l[i]->WebPDemuxGetChunk(NULL, NULL, 1, NULL) + 4 * l[i]->WebPDemuxNextChunk(NULL);
    x[n++] = l[i]->WebPAnimDecoderOptionsInitInternal(&options, 0x0207) + 2 * l[i]->WebPAnimDecoderOptionsInitInternal(NULL, 0x0107);
    x[n++] = l[i]->WebPAnimDecoderNewInternal(NULL, NULL, 0x0107) != NULL || l[i]->WebPAnimDecoderNewInternal(&data, NULL, 0x0107) != NULL;
    x[n++] = l[i]->WebPAnimDecoderGetInfo(NULL, NULL) + l[i]->WebPAnimDecoderHasMoreFrames(NULL) + l[i]->WebPAnimDecoderGetNext(NULL, NULL, NULL) +
             (l[i]->WebPAnimDecoderGetDemuxer(NULL) != NULL) + l[i]->WebPGetDecoderVersion() + l[i]->WebPGetDemuxVersion();
    l[i]->WebPAnimDecoderReset(NULL);
    l[i]->WebPAnimDecoderDelete(NULL);
    l[i]->WebPDemuxDelete(NULL);
    l[i]->WebPFreeDecBuffer(NULL);
    l[i]->WebPDemuxReleaseIterator(NULL);
    l[i]->WebPDemuxReleaseChunkIterator(NULL);
    l[i]->WebPFree(NULL);
    l[i]->WebPFree(l[i]->WebPMalloc(10));
  }
  for (int i = 0; i < 40; ++i)
    if (!same("wrong argument", r[0][i], r[1][i])) printf("  number %d\n", i);
}

/* Whether the first partition of a lossy image is hardly longer than the frame header. */
static int hasShortPartition(const uint8_t* bytes, size_t count) {
  static const uint8_t startCode[] = {0x9d, 0x01, 0x2a};
  for (size_t i = 3; i + 3 <= count; ++i)
    if (memcmp(bytes + i, startCode, 3) == 0)
      return ((bytes[i - 3] | bytes[i - 2] << 8 | bytes[i - 1] << 16) >> 5) < 64;
  return 0;
}

static void compareBytes(const uint8_t* bytes, size_t count, int prefixes) {
  Input in = {bytes, count, 16, 16, 0, 0, hasShortPartition(bytes, count)};
  int width, height;
  WebPBitstreamFeatures features;
  if (theirs.WebPGetFeaturesInternal(bytes, count, &features, 0x0210) == VP8_STATUS_OK) {
    in.width = features.width;
    in.height = features.height;
    in.isLossless = features.format == 2;
  }
  const size_t pixels = (size_t)in.width * (size_t)in.height;
  uint8_t* const decoded = pixels > 1u << 24 ? NULL : theirs.WebPDecodeRGB(bytes, count, &width, &height);
  in.isValid = decoded != NULL;
  theirs.WebPFree(decoded);
  compareHeaders(bytes, count);
  compareDemuxer(bytes, count);
  if (pixels > 1u << 24) return;
  compareSimple(&in);
  if (pixels <= 1u << 21) {
    compareInto(&in);
    compareOptions(&in, pixels < 40000 ? 40 : 6);
    compareIncremental(&in, count, pixels < 40000 ? 20 : 4);
  }
  compareAnimation(&in);
  if (prefixes) {
    for (size_t n = 0; n < count; ++n) {
      /* Copied, so that an access beyond the end is detected. */
      uint8_t* const prefix = malloc(n + 1);
      if (prefix == NULL) exit(3);
      memcpy(prefix, bytes, n);
      compareHeaders(prefix, n);
      compareDemuxer(prefix, n);
      Input part = in;
      part.bytes = prefix;
      part.count = n;
      compareIncremental(&part, n, 2);
      free(prefix);
    }
  }
}

#ifndef FUZZING
int main(int argc, char** argv) {
  int prefixes = 0;
  uint64_t seed = 1;
  if (argc < 3) return 64;
  loadLibrary(&ours, "this library", argv[1]);
  loadLibrary(&theirs, "libwebp", argv[2]);
  if (theirs.WebPGetDecoderVersion() < 0x010600) { fprintf(stderr, "libwebp is older than 1.6\n"); return 2; }
  compareWrongArguments();
  for (int i = 3; i < argc; ++i) {
    if (strcmp(argv[i], "--prefixes") == 0) { prefixes = 1; continue; }
    if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) { seed = strtoull(argv[++i], NULL, 10); continue; }
    file = argv[i];
    size_t count;
    uint8_t* const bytes = readFile(file, &count);
    state = seed * 1000003u + count;
    compareBytes(bytes, count, prefixes);
    free(bytes);
  }
  printf("%d comparisons, %d differences, %d listed differences\n", compared, differences, exempted);
  return differences != 0;
}
#endif
