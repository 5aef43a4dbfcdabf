// The functions that the module exports, which take and return addresses and 32-bit integers. It imports nothing.
//
//     bytes = webp_allocate(count)                      memory to which the host copies the file
//     session = webp_decode(bytes, count, limits)       decodes an image, or the first frame of an animation
//
//     session = webp_open(limits)                       decodes an image while the bytes arrive
//     webp_append(session, bytes, count)
//     webp_finish(session)
//
//     session = webp_animation(bytes, count, limits)    decodes an animation frame by frame
//     webp_next(session)
//     webp_seek(session, index)                         selects the frame that webp_next decodes
//
//     webp_free(bytes)
//     webp_close(session)
//
// PNGRows.swift has the functions of the conversion to a PNG.
//
// The limits are three arguments: maximumPixels, unrestrictedPixels and maximumPixelsPerByte of `WebPCompact.Limits`.
//
// After each call, the host reads the fields of `Session` at the address of the session.
//
// Addresses and counts are unsigned. The bytes may be freed after each call, because the session copies what it needs
// later. If memory runs out, webp_allocate returns 0, and all other functions trap. After a trap the instance must not
// be called again.

@_cdecl("webp_allocate")
public func webpAllocate(_ count: Int32) -> UnsafeMutableRawPointer? { unsafe allocate(UInt(bitPattern: Int(count))) }

@_cdecl("webp_free")
public func webpFree(_ bytes: UnsafeMutableRawPointer?) { unsafe release(bytes) }

@_cdecl("webp_decode")
public func webpDecode(
  _ bytes: UnsafePointer<UInt8>?, _ count: Int32,
  _ maximumPixels: Int32, _ unrestrictedPixels: Int32, _ maximumPixelsPerByte: Int32
) -> UnsafeMutableRawPointer {
  let session = unsafe open(maximumPixels, unrestrictedPixels, maximumPixelsPerByte)
  unsafe session.pointee.decode(UnsafeBufferPointer(start: bytes, count: Int(count)))
  return UnsafeMutableRawPointer(session)
}

@_cdecl("webp_open")
public func webpOpen(
  _ maximumPixels: Int32, _ unrestrictedPixels: Int32, _ maximumPixelsPerByte: Int32
) -> UnsafeMutableRawPointer {
  unsafe UnsafeMutableRawPointer(open(maximumPixels, unrestrictedPixels, maximumPixelsPerByte))
}

@_cdecl("webp_append")
public func webpAppend(_ session: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>?, _ count: Int32) {
  unsafe at(session).pointee.append(UnsafeBufferPointer(start: bytes, count: Int(count)))
}

@_cdecl("webp_finish")
public func webpFinish(_ session: UnsafeMutableRawPointer) { unsafe at(session).pointee.finish() }

@_cdecl("webp_animation")
public func webpOpenAnimation(
  _ bytes: UnsafePointer<UInt8>?, _ count: Int32,
  _ maximumPixels: Int32, _ unrestrictedPixels: Int32, _ maximumPixelsPerByte: Int32
) -> UnsafeMutableRawPointer {
  let session = unsafe open(maximumPixels, unrestrictedPixels, maximumPixelsPerByte)
  unsafe session.pointee.openAnimation(UnsafeBufferPointer(start: bytes, count: Int(count)))
  return UnsafeMutableRawPointer(session)
}

@_cdecl("webp_next")
public func webpNextFrame(_ session: UnsafeMutableRawPointer) { unsafe at(session).pointee.nextFrame() }

@_cdecl("webp_seek")
public func webpSeek(_ session: UnsafeMutableRawPointer, _ index: Int32) {
  unsafe at(session).pointee.seek(to: Int(index))
}

@_cdecl("webp_close")
public func webpClose(_ session: UnsafeMutableRawPointer) {
  unsafe at(session).deinitialize(count: 1)
  unsafe release(session)
}

/// Allocates a session. Traps if memory runs out; `UnsafeMutablePointer.allocate` would return address 0 here.
private func open(
  _ maximumPixels: Int32, _ unrestrictedPixels: Int32, _ maximumPixelsPerByte: Int32
) -> UnsafeMutablePointer<Session> {
  let limits = WebPCompact.Limits(
    maximumPixels: Int(maximumPixels), unrestrictedPixels: Int(unrestrictedPixels),
    maximumPixelsPerByte: Int(maximumPixelsPerByte))
  let session = unsafe allocate(UInt(MemoryLayout<Session>.size))!.bindMemory(to: Session.self, capacity: 1)
  unsafe session.initialize(to: Session(limits))
  return unsafe session
}

private func at(_ session: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Session> {
  unsafe session.assumingMemoryBound(to: Session.self)
}
