/// The number of blocks with a side of 2^`bits` that cover a side of `length` pixels (`DIV_ROUND_UP` of RFC 9649,
/// section 3.5.1). Transforms and the entropy image have blocks.
func blocks(in length: Int, bits: Int) -> Int { (length + 1 << bits - 1) >> bits }
