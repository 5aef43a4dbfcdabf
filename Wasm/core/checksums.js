const crcTables = (() => {
  const tables = [0, 1, 2, 3].map(() => new Uint32Array(256));
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[0][n] = c;
  }
  for (let n = 0; n < 256; n++) {
    for (let k = 1; k < 4; k++) tables[k][n] = (tables[k - 1][n] >>> 8) ^ tables[0][tables[k - 1][n] & 255];
  }
  return tables;
})();

/** CRC-32, four bytes at a time. */
export function crc32(bytes) {
  const [t0, t1, t2, t3] = crcTables;
  const fours = bytes.length & ~3;
  let c = -1;
  let i = 0;
  for (; i < fours; i += 4) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24];
  }
  for (; i < bytes.length; i++) c = (c >>> 8) ^ t0[(c ^ bytes[i]) & 255];
  return ~c >>> 0;
}

/** Continues an Adler-32 checksum, which begins with 1. Four bytes at a time, because each sum depends on the previous one. */
export function adler32(sum, bytes) {
  let a = sum & 65535;
  let b = sum >>> 16;
  for (let i = 0; i < bytes.length;) {
    const end = Math.min(i + 3800, bytes.length);
    for (const fours = end - 3; i < fours; i += 4) {
      const second = bytes[i + 1];
      const third = bytes[i + 2];
      const fourth = bytes[i + 3];
      b += 4 * (a + bytes[i]) + 3 * second + 2 * third + fourth;
      a += bytes[i] + second + third + fourth;
    }
    for (; i < end; i++) {
      a += bytes[i];
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}
