// What the module exports: a flat interface of addresses and 32-bit numbers. It imports nothing.
//
//     bytes = webp_allocate(count)                 the host copies the file there
//     session = webp_decode(bytes, count)          the picture, or of an animation the first frame
//
//     session = webp_open()                        … or while the bytes come
//     webp_append(session, bytes, count)
//     webp_finish(session)
//
//     session = webp_open_animation(bytes, count)  … or frame by frame
//     webp_next_frame(session)
//     webp_seek(session, index)                    the frame that webp_next_frame is to show
//
//     webp_free(bytes)
//     webp_close(session)
//
// `Session` tells what is to be read at the address of a session after each of these.
//
// Addresses and counts are unsigned. The bytes may be freed after each call: what is needed of them later is copied.
// webp_allocate gives 0 where there is no memory; all others trap. After a trap the instance must not be called again.

@_cdecl("webp_allocate")
public func webpAllocate(_ count: Int32) -> UnsafeMutableRawPointer? { unsafe allocate(UInt(bitPattern: Int(count))) }

@_cdecl("webp_free")
public func webpFree(_ bytes: UnsafeMutableRawPointer?) { unsafe release(bytes) }

@_cdecl("webp_decode")
public func webpDecode(_ bytes: UnsafePointer<UInt8>?, _ count: Int32) -> UnsafeMutableRawPointer {
  let session = unsafe open()
  unsafe session.pointee.decode(UnsafeBufferPointer(start: bytes, count: Int(count)))
  return UnsafeMutableRawPointer(session)
}

@_cdecl("webp_open")
public func webpOpen() -> UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(open()) }

@_cdecl("webp_append")
public func webpAppend(_ session: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>?, _ count: Int32) {
  unsafe at(session).pointee.append(UnsafeBufferPointer(start: bytes, count: Int(count)))
}

@_cdecl("webp_finish")
public func webpFinish(_ session: UnsafeMutableRawPointer) { unsafe at(session).pointee.finish() }

@_cdecl("webp_open_animation")
public func webpOpenAnimation(_ bytes: UnsafePointer<UInt8>?, _ count: Int32) -> UnsafeMutableRawPointer {
  let session = unsafe open()
  unsafe session.pointee.openAnimation(UnsafeBufferPointer(start: bytes, count: Int(count)))
  return UnsafeMutableRawPointer(session)
}

@_cdecl("webp_next_frame")
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

/// Traps where there is no memory, which `UnsafeMutablePointer.allocate` does not here: it gives address 0.
private func open() -> UnsafeMutablePointer<Session> {
  let session = unsafe allocate(UInt(MemoryLayout<Session>.size))!.bindMemory(to: Session.self, capacity: 1)
  unsafe session.initialize(to: Session())
  return unsafe session
}

private func at(_ session: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Session> {
  unsafe session.assumingMemoryBound(to: Session.self)
}
