/// `count`, but the compiler does not see that: it would write out loops of few rounds round by round.
@inline(never)
func rounds(_ count: Int) -> Int { count }
