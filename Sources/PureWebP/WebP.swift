/// WebP images: decoding, and what a file says of itself.
///
/// ```swift
/// let image = try WebP.decode(bytes)
/// let info = try WebP.info(bytes)
/// ```
public enum WebP {}
