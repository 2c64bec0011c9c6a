import Content
import JSONText

/// Maps the places of findings in a body's normalised form back to places in the body as received, and sorts the
/// findings.
///
/// The normalised form has other names for some members (`isRequired` for `is_required`), and its document may have
/// been inside a string.
struct BodyPlaces {
  /// The body as received.
  let body: JSONNode
  /// The document that was extracted from a string, if any.
  let inner: JSONNode?

  /// A finding with its offset in the body, and its offset in the document inside a string.
  struct Located {
    let finding: IntakeFinding
    let offset: Int
    let innerOffset: Int
  }

  static let document = JSONPointer.Step.member("content_data")

  /// Returns the place in the body for a place in its normalised form, with the offsets of the value, or of the
  /// enclosing value if the value itself is missing.
  func original(_ pointer: JSONPointer) -> (pointer: JSONPointer, offset: Int, innerOffset: Int) {
    var steps: [JSONPointer.Step] = []
    var node: JSONNode? = body
    var offset = body.span.lowerBound
    var innerOffset = 0
    var isInside = false
    for step in pointer.steps {
      if let current = node {
        let (spelling, child) = Self.child(of: current, step)
        steps.append(spelling)
        node = child
        if let child {
          if isInside { innerOffset = child.span.lowerBound } else { offset = child.span.lowerBound }
        }
      } else {
        steps.append(step)
      }
      if !isInside, steps.count == 1, steps[0] == Self.document, let inner {
        node = inner
        isInside = true
      }
    }
    return (JSONPointer(steps), offset, innerOffset)
  }

  private static func child(of node: JSONNode, _ step: JSONPointer.Step) -> (JSONPointer.Step, JSONNode?) {
    switch step {
    case .element(let position) where node.kind == .array:
      var left = position
      var found: JSONNode?
      node.forEachElement { element in
        if left == 0 { found = element }
        left -= 1
      }
      return (step, found)
    case .element(let position): return child(of: node, .member(String(position)))
    case .member(let name):
      if let value = member(of: node, name) { return (step, value) }
      let snake = SnakeNames.spelling(of: name)
      if let value = member(of: node, snake) { return (.member(snake), value) }
      return (step, nil)
    }
  }

  private static func member(of node: JSONNode, _ name: String) -> JSONNode? {
    let bytes = Array(name.utf8)
    var found: JSONNode?
    node.forEachMember { own, value in
      if found == nil, own.says(bytes) { found = value }
    }
    return found
  }

  /// Returns the path from `root` to the value or name of a token inside it.
  static func path(to token: Int, in root: JSONNode) -> [JSONPointer.Step] {
    var steps: [JSONPointer.Step] = []
    var node = root
    while node.index != token {
      var next: JSONNode?
      var isName = false
      if node.kind == .object {
        var child = node.index + 1
        let end = Int(node.token.next)
        while child < end {
          let after = Int(node.tokens[child + 1].next)
          if token < after {
            steps.append(.member(node.at(child).string ?? ""))
            isName = token == child
            next = node.at(child + 1)
            break
          }
          child = after
        }
      } else {
        var position = 0
        var child = node.index + 1
        let end = Int(node.token.next)
        while child < end {
          let after = Int(node.tokens[child].next)
          if token < after {
            steps.append(.element(position))
            next = node.at(child)
            break
          }
          position += 1
          child = after
        }
      }
      guard let next, !isName else { break }
      node = next
    }
    return steps
  }
}
