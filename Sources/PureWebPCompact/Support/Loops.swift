/// Returns `count`. Because the function is not inlined, the compiler does not know the number of iterations, and does
/// not unroll the loop, which would enlarge the code.
@inline(never)
func rounds(_ count: Int) -> Int { count }
