// The prefix codes of a deflate block (RFC 1951, sections 3.2.2 and 3.2.7).

internal import WebPFormat

/// Returns the optimal code lengths of a complete prefix code, each at most `limit`.
///
/// - Parameter counts: how often each symbol occurs. Symbols that do not occur have length 0, except that a code has at
///   least two symbols, because some decoders refuse other codes.
func codeLengths(_ counts: Span<UInt32>, limit: Int) -> ContiguousArray<UInt8> {
  // Counts and symbols, in ascending order.
  var leaves = ContiguousArray<UInt64>()
  leaves.reserveCapacity(counts.count)
  for symbol in 0..<counts.count where counts[symbol] > 0 {
    leaves.append(UInt64(counts[symbol]) << 16 | UInt64(symbol))
  }
  for symbol in 0..<2 where leaves.count < 2 && counts[symbol] == 0 { leaves.append(1 << 16 | UInt64(symbol)) }
  leaves.sort()
  var depths = huffmanDepths(leaves)
  if depths[0] > limit { depths = limitedDepths(leaves, to: limit) }
  var lengths = ContiguousArray<UInt8>(filledWith: 0, count: counts.count)
  for index in leaves.indices { lengths[Int(leaves[index] & 0xFFFF)] = UInt8(depths[index]) }
  return lengths
}

/// Returns the depths of the leaves of a Huffman tree, followed by the depths of its inner nodes.
///
/// - Parameter leaves: at least two counts, shifted by 16, in ascending order.
private func huffmanDepths(_ leaves: ContiguousArray<UInt64>) -> ContiguousArray<Int> {
  let leafCount = leaves.count
  // Inner nodes follow the leaves. Both are in ascending order, so the smallest nodes are at the start of either.
  var nodes = leaves
  nodes.reserveCapacity(2 * leafCount)
  var parents = ContiguousArray<Int>(filledWith: 0, count: 2 * leafCount - 1)
  var (leaf, inner) = (0, leafCount)
  while nodes.count < 2 * leafCount - 1 {
    var weight: UInt64 = 0
    for _ in 0..<2 {
      let takesLeaf = leaf < leafCount && (inner == nodes.count || leaves[leaf] <= nodes[inner])
      let smallest = takesLeaf ? leaf : inner
      if takesLeaf { leaf += 1 } else { inner += 1 }
      weight += nodes[smallest] & ~0xFFFF
      parents[smallest] = nodes.count
    }
    nodes.append(weight)
  }
  var depths = ContiguousArray<Int>(filledWith: 0, count: 2 * leafCount - 1)
  for node in stride(from: 2 * leafCount - 3, through: 0, by: -1) { depths[node] = depths[parents[node]] + 1 }
  return depths
}

/// Returns the optimal depths of leaves, each at most `limit`, by package-merge (Larmore and Hirschberg, 1990): each
/// level has the leaves, and pairs of the items of the level below.
private func limitedDepths(_ leaves: ContiguousArray<UInt64>, to limit: Int) -> ContiguousArray<Int> {
  // Counts are doubled. The lowest bit is 1 in pairs.
  let leaves = ContiguousArray(leaves.map { ($0 >> 16) << 1 })
  var levels = [leaves]
  for level in 1..<limit {
    let below = levels[level - 1]
    var (items, leaf) = (ContiguousArray<UInt64>(), 0)
    items.reserveCapacity(leaves.count + below.count / 2)
    for index in stride(from: 1, to: below.count, by: 2) {
      let pair = (below[index - 1] | 1) + (below[index] & ~1)
      while leaf < leaves.count, leaves[leaf] < pair {
        items.append(leaves[leaf])
        leaf += 1
      }
      items.append(pair)
    }
    items += leaves[leaf...]
    levels.append(items)
  }
  var depths = ContiguousArray<Int>(filledWith: 0, count: leaves.count)
  var taken = 2 * leaves.count - 2
  for items in levels.reversed() {
    let leafCount = items[..<taken].count { $0 & 1 == 0 }
    for index in 0..<leafCount { depths[index] += 1 }
    taken = 2 * (taken - leafCount)
  }
  return depths
}

/// The codes for code lengths, as they are written from the lowest bit on: code | length << 16.
func prefixCodes(_ lengths: Span<UInt8>) -> ContiguousArray<UInt32> {
  // The numbers of codes of each length minus one, and then the next code of each length.
  var next = ContiguousArray<UInt32>(filledWith: 0, count: 17)
  for symbol in 0..<lengths.count where lengths[symbol] > 0 { next[Int(lengths[symbol]) + 1] += 1 }
  for length in 1...16 { next[length] = (next[length - 1] + next[length]) << 1 }
  var codes = ContiguousArray<UInt32>(filledWith: 0, count: lengths.count)
  for symbol in 0..<lengths.count where lengths[symbol] > 0 {
    let length = UInt32(lengths[symbol])
    codes[symbol] = next[Int(length)].bitsReversed >> (32 - length) | length << 16
    next[Int(length)] += 1
  }
  return codes
}

extension UInt32 {
  fileprivate var bitsReversed: Self {
    var bits = byteSwapped
    bits = (bits >> 4) & 0x0F0F_0F0F | (bits & 0x0F0F_0F0F) << 4
    bits = (bits >> 2) & 0x3333_3333 | (bits & 0x3333_3333) << 2
    return (bits >> 1) & 0x5555_5555 | (bits & 0x5555_5555) << 1
  }
}
