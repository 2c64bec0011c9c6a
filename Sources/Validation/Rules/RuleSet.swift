import Content
import Diagnostics

/// Every rule that there is; a new one is one more line here.
public enum RuleSet {
  /// What the app and the registry require, in the order of codes.
  public static let publish: [any Rule.Type] = []

  /// Advice, in the order of codes.
  public static let lint: [any Rule.Type] = (lists + texts).sorted { $0.code.id < $1.code.id }

  /// About checklists, their steps, and decks.
  private static let lists: [any Rule.Type] = [
    NoRequiredAndOptional.self
  ]

  /// About guides, tags, languages, characters, lineage and privacy.
  private static let texts: [any Rule.Type] = [
    NoHeadingJump.self, NoSecondTopHeading.self, NoEmptyHeading.self, NoDeadLinks.self, NoMissingImages.self,
    NoNetworkImages.self, NoInsecureLinks.self, NoForeignMarkdown.self, NoUnclosedFence.self,
  ]

  /// All of them.
  public static let all: [any Rule.Type] = publish + lint

  /// Their codes.
  public static let codes: [DiagnosticCode] = all.map { $0.code }
}
