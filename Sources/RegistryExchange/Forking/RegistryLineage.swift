import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// Where an item comes from: from the original over all copies to the item itself.
public struct RegistryLineage: Sendable {
  /// From the original to the item.
  public let steps: [LineageStep]
  /// Why not all that the registry said is there; nil when it is.
  public let cut: String?

  /// Registries end a lineage here, too.
  public static let mostSteps = 10

  /// Asks a registry.
  /// - Parameters:
  ///   - id: a slug, or the registry's id.
  ///   - address: the registry's address, for messages.
  /// - Throws: `RunFailure`: 2 when there is no such item, 69 when the registry cannot be asked.
  public init(of id: String, from registry: any RegistryCalls, at address: String) throws {
    let answer: [LineageStep]?
    do {
      answer = try registry.lineage(id)
    } catch {
      throw error.failure("ask where '\(id)' comes from", at: address)
    }
    guard let answer else {
      throw RunFailure(
        .failed, "ask where '\(id)' comes from: \(address) has no such item, or no more",
        advice: "Public ids tell upper case from lower case.")
    }
    self.init(answer)
  }

  /// Takes what a registry said, and no more of it than can be: it may be anybody who answers.
  init(_ answer: [LineageStep]) {
    var steps: [LineageStep] = []
    var cut: String?
    for step in answer {
      if steps.count == Self.mostSteps {
        cut = "the registry named \(answer.count) steps; a lineage has at most \(Self.mostSteps)"
        break
      }
      // Steps have no ids; the same work at the same moment is the same step.
      if step.createdAt != nil, steps.contains(where: { Self.isSame($0, step) }) {
        cut = "the registry named the same step twice: a lineage does not lead back to itself"
        break
      }
      steps.append(step)
    }
    self.steps = steps
    self.cut = cut
  }

  private static func isSame(_ one: LineageStep, _ other: LineageStep) -> Bool {
    one.title == other.title && one.creator == other.creator && one.createdAt == other.createdAt
  }
}
