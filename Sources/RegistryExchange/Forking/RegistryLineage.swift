import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// The lineage of an item: the original, all copies in between, and the item itself.
public struct RegistryLineage: Sendable {
  /// The steps from the original to the item.
  public let steps: [LineageStep]
  /// Why the registry's answer was truncated; nil when it is complete.
  public let cut: String?

  /// The maximum number of steps, the same limit as in registries.
  public static let mostSteps = 10

  /// Asks a registry for an item's lineage.
  /// - Parameters:
  ///   - id: a slug, or the registry's id.
  ///   - address: the registry's address, for messages.
  /// - Throws: `RunFailure`: 2 when there is no such item, 69 when the registry cannot be called.
  public init(of id: String, from registry: any RegistryCalls, at address: String) throws {
    let answer: [LineageStep]?
    do {
      answer = try registry.lineage(id)
    } catch {
      throw error.failure("find the lineage of '\(id)'", at: address)
    }
    guard let answer else {
      throw RunFailure(
        .failed, "find the lineage of '\(id)': \(address) has no such item, or it was withdrawn",
        advice: "Public ids are case-sensitive.")
    }
    self.init(answer)
  }

  /// Checks and truncates a registry's answer: the server may not be the one it claims to be.
  init(_ answer: [LineageStep]) {
    var steps: [LineageStep] = []
    var cut: String?
    for step in answer {
      if steps.count == Self.mostSteps {
        cut = "the registry returned \(answer.count) steps; a lineage has at most \(Self.mostSteps)"
        break
      }
      // Steps have no ids; the same work published at the same time counts as the same step.
      if step.createdAt != nil, steps.contains(where: { Self.isSame($0, step) }) {
        cut = "the registry returned the same step twice; a lineage has no cycles"
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
