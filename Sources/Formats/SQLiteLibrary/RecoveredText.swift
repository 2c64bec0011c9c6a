import Content
import Diagnostics
import JSONText

/// The recoverable part of a damaged JSON column.
struct RecoveredText {
  /// A value or a part of a value that is lost.
  struct Loss {
    let pointer: JSONPointer
    let message: String
  }

  /// The recovered document.
  let document: JSONDocument
  /// All losses, in order.
  private(set) var losses: [Loss] = []
  /// The members whose names had one wrong byte.
  let misspelled: [JSONPointer]
  /// The first damaged element, as a phrase that is appended to a position: ", in step 9".
  private(set) var owner = ""
  /// A description of how much was recovered, as a phrase that follows "; ".
  private(set) var summary = ""

  private let isComplete: Bool
  /// The number of steps before each section.
  private var stepsBefore: [Int] = []
  private var steps = 0

  /// Recovers a damaged string; returns nil if none of it can be read.
  init?(_ text: Span<UInt8>, _ outline: JSONOutline) {
    guard let repaired = JSONRepair.repair(text, expecting: outline),
      let document = try? JSONDocument(parsing: repaired.text)
    else { return nil }
    self.document = document
    isComplete = repaired.isComplete
    misspelled = repaired.damages.allSatisfy { $0.loss == .nothing } ? repaired.damages.map(\.pointer) : []
    for section in document.root.elements {
      stepsBefore.append(steps)
      steps += section["items"]?.elements.count ?? 0
    }
    var damaged: Set<JSONPointer> = []
    var gone = 0
    for damage in repaired.damages where damage.loss != .nothing {
      if damage.loss == .element { gone += 1 } else if let step = Self.step(damage.pointer) { damaged.insert(step) }
      losses.append(Loss(pointer: damage.pointer, message: message(damage)))
    }
    if let first = repaired.damages.first, Self.step(first.pointer) != nil { owner = ", in \(name(of: first.pointer))" }
    summary = summary(damaged: damaged.count, gone: gone)
  }

  /// Returns the pointer to the step that a value belongs to: `/0/items/3`.
  private static func step(_ pointer: JSONPointer) -> JSONPointer? {
    guard pointer.steps.count >= 3, pointer.steps[1] == .member("items"), case .element = pointer.steps[0],
      case .element = pointer.steps[2]
    else { return nil }
    return JSONPointer(Array(pointer.steps.prefix(3)))
  }

  private func summary(damaged: Int, gone: Int) -> String {
    if isComplete { return "everything is recovered" }
    var parts: [String] = []
    if steps > 0 {
      let all = steps + gone
      parts.append("\(max(0, steps - damaged)) of \(all) step\(all == 1 ? " is" : "s are") intact")
    }
    parts += losses.prefix(3).map(\.message)
    if losses.count > 3 { parts.append("\(losses.count - 3) more losses") }
    return parts.isEmpty ? "what can be read is recovered" : parts.joined(separator: "; ")
  }

  /// Describes a loss: "step 9 lost its 'title'".
  private func message(_ damage: JSONRepair.Damage) -> String {
    let name = name(of: damage.pointer)
    switch damage.loss {
    case .nothing: return ""
    case .element:
      return Self.step(damage.pointer) == nil
        ? "a list element is lost" : "a step was lost at the position where \(name) is now"
    case .ending: return "the end is missing, from \(name) on"
    case .value, .letters, .bytes:
      guard case .member(let member)? = damage.pointer.steps.last, member != "items" else {
        return "\(name) lost \(missing(in: damage.pointer) ?? Self.amount(damage.loss))"
      }
      let owner = self.name(of: JSONPointer(Array(damage.pointer.steps.dropLast())))
      switch damage.loss {
      case .value: return "\(owner) lost its '\(member)'"
      case .letters: return "\(owner) lost letters of its '\(member)'"
      default:
        return
          "\(owner) lost \(missing(in: JSONPointer(Array(damage.pointer.steps.dropLast()))) ?? Self.amount(damage.loss) + " after its '\(member)'")"
      }
    }
  }

  private static func amount(_ loss: JSONRepair.Damage.Loss) -> String {
    switch loss {
    case .bytes(let count): "\(count) byte\(count == 1 ? "" : "s")"
    case .letters: "letters"
    default: "a value"
    }
  }

  /// Returns the required members that an object lacks; nil if the object has all of them, or if it is neither a step
  /// nor a section.
  private func missing(in pointer: JSONPointer) -> String? {
    guard Self.step(pointer) == pointer || pointer.steps.count == 1, let object = document.root.at(pointer),
      object.kind == .object
    else { return nil }
    let names = ["id", "title"].filter { object[$0] == nil }
    return names.isEmpty ? nil : names.map { "its '\($0)'" }.joined(separator: " and ")
  }

  /// Returns a value's name in messages, such as "step 9". Steps are numbered through the whole checklist.
  private func name(of pointer: JSONPointer) -> String {
    if let step = Self.step(pointer), case .element(let section) = step.steps[0],
      case .element(let item) = step.steps[2],
      section < stepsBefore.count
    {
      return "step \(stepsBefore[section] + item + 1)"
    }
    if case .element(let section)? = pointer.steps.first { return "section \(section + 1)" }
    if case .member(let key)? = pointer.steps.first { return "'\(Diagnostic.beginning(of: key))'" }
    return "the text"
  }
}
