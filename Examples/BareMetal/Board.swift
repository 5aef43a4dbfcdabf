// Functions of the board, which is a Cortex-M7 that QEMU emulates. Output uses semihosting, which means that the
// emulator prints it. Startup.s has the functions that need assembly.

@_extern(c, "lossy_start") func lossyStart() -> UInt
@_extern(c, "lossy_end") func lossyEnd() -> UInt
@_extern(c, "lossless_start") func losslessStart() -> UInt
@_extern(c, "lossless_end") func losslessEnd() -> UInt
@_extern(c, "stack_pointer") private func stackPointer() -> UInt
@_extern(c, "stack_top") private func stackTop() -> UInt
@_extern(c, "stack_end") private func stackEnd() -> UInt
@_extern(c, "semihosting") private func semihosting(_ operation: UInt, _ argument: UInt)

// MARK: Output

func write(_ text: StaticString) {
  text.withUTF8Buffer { text in
    for index in text.indices { write(character: unsafe text[index]) }
  }
}

func write(
  _ first: StaticString, _ number: Int, _ second: StaticString, _ other: Int? = nil, _ third: StaticString = ""
) {
  write(first)
  write(decimal: number)
  write(second)
  if let other { write(decimal: other) }
  write(third)
}

private func write(decimal number: Int) {
  if number > 9 { write(decimal: number / 10) }
  write(character: UInt8(48 + number % 10))
}

/// Writes eight hexadecimal digits.
func write(_ sum: UInt32) {
  for shift in stride(from: 28 as UInt32, through: 0, by: -4) {
    let digit = UInt8(sum >> shift & 15)
    write(character: digit + (digit < 10 ? 48 : 87))
  }
}

private func write(character: UInt8) {
  var character = character
  unsafe withUnsafePointer(to: &character) { semihosting(3, UInt(bitPattern: $0)) }  // SYS_WRITEC
}

func end(isFailure: Bool) -> Never {
  while true { semihosting(0x18, isFailure ? 0x20023 : 0x20026) }  // SYS_EXIT
}

// MARK: Stack

private let pattern: UInt32 = 0xA5A5_5A5A

/// Fills the unused part of the stack with a pattern.
@inline(never)
func fillStack() {
  var address = stackEnd()
  let end = stackPointer() - 64
  while address < end {
    unsafe UnsafeMutablePointer<UInt32>(bitPattern: address)!.pointee = pattern
    address += 4
  }
}

/// The maximum size of the stack since the call of `fillStack`, in bytes.
@inline(never)
func usedStack() -> Int {
  var address = stackEnd()
  while unsafe UnsafePointer<UInt32>(bitPattern: address)!.pointee == pattern { address += 4 }
  return Int(stackTop() - address)
}
