/// The tables that the four types of block are decoded with (RFC 6386, section 13.3).
struct TablesByBlockType<Tables: Sendable>: Sendable {
  let y1WithoutDC: Tables
  let y2: Tables
  let uv: Tables
  let y1: Tables

  init(_ tables: (_ type: Int) -> Tables) {
    y1WithoutDC = tables(0)
    y2 = tables(1)
    uv = tables(2)
    y1 = tables(3)
  }
}
