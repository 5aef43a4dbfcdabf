/// What the four types of block are read with (section 13.3).
struct BlockTrees<Tree: Sendable>: Sendable {
  let y1WithoutDC: Tree
  let y2: Tree
  let uv: Tree
  let y1: Tree

  init(_ tree: (_ type: Int) -> Tree) {
    y1WithoutDC = tree(0)
    y2 = tree(1)
    uv = tree(2)
    y1 = tree(3)
  }
}
